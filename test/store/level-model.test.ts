import fc from "fast-check";
import { expect, test } from "vitest";

import { newOutlineId } from "../../src/core/node-key.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { LoadedOutline, OutlineLog } from "../../src/documents/log/outline-log.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { levelFolders } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const OUTLINES: readonly OutlineId[] = [0.1, 0.5, 0.9].map((seed) => newOutlineId(() => seed));
const TAIL = { updates: 5, bytes: 40 };

type Step =
  | { readonly kind: "append"; readonly outline: number; readonly sizes: readonly number[] }
  | { readonly kind: "bind"; readonly outline: number; readonly client: number }
  | { readonly kind: "snapshot"; readonly outline: number; readonly behind: number }
  | { readonly kind: "load"; readonly outline: number; readonly behind: number | undefined }
  | { readonly kind: "drop"; readonly outline: number }
  | { readonly kind: "token"; readonly name: string }
  | { readonly kind: "restart" };

const outline = fc.integer({ min: 0, max: OUTLINES.length - 1 });

/** Several steps of a group are begun at once. */
const groups: fc.Arbitrary<Step[][]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<Step[]>([{ kind: "restart" }]) },
    {
      weight: 1,
      arbitrary: fc
        .record({ kind: fc.constant("drop" as const), outline })
        .map((step): Step[] => [step]),
    },
    {
      weight: 10,
      arbitrary: fc.array(
        fc.oneof(
          fc.record({
            kind: fc.constant("append" as const),
            outline,
            sizes: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 4 }),
          }),
          fc.record({ kind: fc.constant("bind" as const), outline, client: fc.nat() }),
          fc.record({ kind: fc.constant("token" as const), name: fc.constantFrom("a", "b") }),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({ kind: fc.constant("snapshot" as const), outline, behind: fc.nat({ max: 6 }) })
        .map((step): Step[] => [step]),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({
          kind: fc.constant("load" as const),
          outline,
          behind: fc.option(fc.integer({ min: -2, max: 12 }), { nil: undefined }),
        })
        .map((step): Step[] => [step]),
    },
  ),
  { minLength: 5, maxLength: 40 },
);

async function perform(log: OutlineLog, step: Step, number: number): Promise<unknown> {
  if (step.kind === "restart") return undefined;
  if (step.kind === "token") return log.takeToken(step.name, 1000);
  const id = OUTLINES[step.outline] ?? newOutlineId(Math.random);
  switch (step.kind) {
    case "append":
      return log.append(id, {
        updates: step.sizes.map((size, index) => new Uint8Array(size).fill(number + index)),
      });
    case "bind":
      return log.append(id, {
        updates: [],
        bindings: [{ client: step.client, holder: { kind: "bound", keyId: `${number}` } }],
      });
    case "snapshot": {
      const seq = (await log.extent(id)).head - step.behind;
      if (seq < 1) return "too early";
      const mark = new Uint8Array(3).fill(number);
      return log.saveSnapshot(id, { seq, chunks: [mark], stateVector: mark, annex: mark });
    }
    case "load": {
      const loaded = await log.load(id);
      if (step.behind === undefined) return comparable(loaded);
      const { epoch } = loaded;
      const { epoch: _, ...extent } = await log.extent(id);
      const { head } = extent;
      const after = Math.max(0, head - step.behind);
      const page = await log.tail(id, { epoch, after, maxBytes: 20 });
      const { seq = 0 } = extent.snapshot ?? {};
      return { extent, page, chunk: await log.chunk(id, { epoch, seq, index: 0 }) };
    }
    case "drop":
      return log.drop(id);
  }
}

function comparable(loaded: LoadedOutline) {
  const bindings = [...loaded.bindings].toSorted(([a], [b]) => a - b);
  return { ...loaded, bindings, epoch: "any" };
}

async function listed(log: OutlineLog): Promise<readonly OutlineId[]> {
  const outlines: OutlineId[] = [];
  for await (const id of log.outlines()) outlines.push(id);
  return outlines.toSorted();
}

test("[P2, P4, P5, P6, P9, P10] any history answers as the model does, restarts included", async () => {
  let snapshots = 0;
  let resumes = 0;
  await fc.assert(
    fc.asyncProperty(groups, async (history) => {
      let now = 10 ** 6;
      const options = { now: () => now, tail: TAIL };
      const folder = await newFolder();
      let level = await open(folder, options);
      const disk = newMemoryDisk();
      let memory = new MemoryStore({ disk, ...options });
      let number = 0;
      for (const group of history) {
        now += 300;
        if (group[0]?.kind === "restart") {
          await Promise.all([level.close(), memory.close()]);
          level = await open(folder, options);
          memory = new MemoryStore({ disk, ...options });
          continue;
        }
        const numbered = group.map((step) => ({ step, number: (number += 10) }));
        const run = (log: OutlineLog) =>
          Promise.all(numbered.map(({ step, number: n }) => perform(log, step, n)));
        const [actual, expected] = await Promise.all([run(level.log), run(memory.log)]);
        expect(actual).toEqual(expected);
        if (group[0]?.kind === "snapshot" && actual[0] === true) snapshots += 1;
        if (group[0]?.kind === "load" && group[0].behind !== undefined) resumes += 1;
      }
      for (const id of OUTLINES) {
        expect(comparable(await level.log.load(id))).toEqual(comparable(await memory.log.load(id)));
      }
      expect(await listed(level.log)).toEqual(await listed(memory.log));
      expect(await level.verifyAll()).toEqual([]);
      await level.close();
    }),
    { numRuns: 25 },
  );
  expect(snapshots).toBeGreaterThan(5);
  expect(resumes).toBeGreaterThan(5);
});
