import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import { newOutlineId } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import { Documents } from "../../src/documents/documents.ts";
import { Turn } from "../../src/documents/turn.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { ManualClock } from "./support/manual-clock.ts";

test("[S45] a turn is over for everybody after some milliseconds, until the next one", async () => {
  let now = 0;
  const turn = new Turn({ yieldNow: () => yieldNow() }, () => now);
  expect(turn.isOver).toBe(false);
  now += 7;
  expect(turn.isOver).toBe(false);
  now += 1;
  expect(turn.isOver).toBe(true);
  await turn.next();
  expect(turn.isOver).toBe(false);
});

test("[S45] what clients of all outlines send shares a turn's time, and each outline's keeps its order", async () => {
  let time = 0;
  const documents = new Documents({
    log: new MemoryStore().log,
    // Every look at the clock takes a while.
    now: () => (time += 2),
    random: Math.random,
    timers: new ManualClock(),
  });
  let turns = 0;
  const done = new AbortController();
  const counting = (async () => {
    for (; !done.signal.aborted; turns++) await yieldNow();
  })();
  const seen: string[] = [];
  const sent = await Promise.all(
    ["a", "b"].map(async (name) => {
      const { document } = await documents.open(newOutlineId(Math.random));
      const device = outlineDoc(900);
      return Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          marksOf(device).push([1_700_000_000 + index]);
          const { kind } = await document.receive(fullUpdate(device), { keyId: "k", session: {} });
          seen.push(`${name}${index}`);
          return kind;
        }),
      );
    }),
  );
  done.abort();
  await counting;
  expect(new Set(sent.flat())).toEqual(new Set(["applied"]));
  for (const name of ["a", "b"]) {
    expect(seen.filter((each) => each.startsWith(name))).toEqual(
      Array.from({ length: 20 }, (_, index) => `${name}${index}`),
    );
  }
  expect(turns).toBeGreaterThan(8);
});
