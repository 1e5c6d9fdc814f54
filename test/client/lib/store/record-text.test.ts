import { expect, test } from "vitest";

import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { recordOf } from "../../../../client/lib/store/record-text.ts";
import { codeOf } from "../../../contract/replica-reading.ts";

test("[L32] a record that is no JSON value is refused", async () => {
  const store = new MemoryReplicaStore();
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(await codeOf(store.writeRecord("ring", ring))).toBe("failed");
  expect(await codeOf(store.writeRecord("large", 1n))).toBe("failed");
});

test("[L32] a record that can't be read is none", () => {
  expect([recordOf("{"), recordOf(7), recordOf(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
