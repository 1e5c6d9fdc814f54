import { expect, test } from "vitest";

import {
  emptyMeta,
  headOf,
  planCompaction,
  planReplacement,
  planWrite,
} from "../../../../client/lib/store/replica-meta.ts";

const bytes = (length: number): Uint8Array => new Uint8Array(length);
const chunks = [bytes(30), bytes(20)];
const NOTHING = { updates: [], own: [], position: { epoch: "", seq: 0 }, clients: [] };
const written = planWrite(emptyMeta(), { received: [bytes(100), bytes(10)], own: [bytes(1)] }).meta;

test("[L13] of a store from before it was kept, all may have been sent", () => {
  const { sentUpTo: _, ...before } = written;
  expect(headOf(before).sentUpTo).toBe(3);
  expect(planWrite(before, { own: [bytes(1)] }).meta.sentUpTo).toBe(3);
});

test("[L32] a store from before, which had its client ids leased, goes on under them", () => {
  const { clients: _, ...rest } = written;
  const before = { ...rest, leases: [{ client: 3 }, { client: 5 }] };
  expect(headOf(before).clients).toEqual([3, 5]);
  const { meta } = planWrite(before, { clients: [{ client: 3, isKept: false }] });
  expect(headOf(meta).clients).toEqual([5]);
  expect(headOf(planReplacement(before, { ...NOTHING, clients: [] }).meta).clients).toEqual([]);
});

test("[L34] a compaction takes the place of what it has read, and of nothing written since", () => {
  const later = planWrite(written, { received: [bytes(7)] }).meta;
  expect(planCompaction(later, { meta: written, chunks })).toEqual({
    ...emptyMeta(),
    lastNumber: 4,
    stateUpTo: 3,
    stateBytes: 50,
    tailBytes: 7,
    tailUpdates: 1,
  });
});

test("[L34] a compaction that another was faster than, or a replacement, changes nothing", () => {
  const compaction = { meta: written, chunks };
  const later = planWrite(written, { received: [bytes(7)] }).meta;
  const faster = planCompaction(later, { meta: later, chunks });
  expect(faster && planCompaction(faster, compaction)).toBe(undefined);
  const replaced = planReplacement(written, NOTHING).meta;
  expect(planCompaction(replaced, compaction)).toBe(undefined);
  // Nor when there was nothing to replace.
  const empty = planReplacement(emptyMeta(), NOTHING).meta;
  expect(planCompaction(empty, { meta: emptyMeta(), chunks })).toBe(undefined);
});
