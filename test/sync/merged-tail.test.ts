import { expect, test } from "vitest";
import * as Y from "yjs";
import { payingUser } from "../../src/charges/payer.ts";
import { DroppableMemory } from "../../src/sync/droppable-memory.ts";
import { MergedTail } from "../../src/sync/merged-tail.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { newMemory } from "../support/test-memory.ts";
import { runs } from "../support/runs.ts";

function newSharedMemory(memory = newMemory()): DroppableMemory {
  return new DroppableMemory(memory, payingUser("me"));
}

/** Keystrokes of some people, now and then with something large. */
function logOf(count: number, random: () => number, isLarge: () => boolean): Uint8Array[] {
  const updates: Uint8Array[] = [];
  const doc = new Y.Doc();
  doc.on("update", (update: Uint8Array) => updates.push(update));
  const text = doc.getText("text");
  for (let index = 0; index < count; index++) {
    doc.clientID = 1 + integerBelow(random, 5);
    text.insert(integerBelow(random, text.length + 1), isLarge() ? "large ".repeat(2_000) : "x");
  }
  return updates;
}

test("[S44] whatever a client lacks, the parts say the same, in order and without gaps", () => {
  const random = seededRandom(44);
  for (const isLarge of [() => false, () => random() < 0.02]) {
    const log = logOf(9_000, random, isLarge);
    const tail = new MergedTail(newSharedMemory());
    for (let round = 0; round < runs(4, 12); round++) {
      const after = round === 0 ? 0 : integerBelow(random, log.length);
      const head = round < 2 ? log.length : after + integerBelow(random, log.length - after + 1);
      const lacking = log.slice(after, head);
      const doc = new Y.Doc();
      for (const update of log.slice(0, after)) Y.applyUpdate(doc, update);
      let seq = after;
      for (const part of tail.parts("epoch", lacking, after)) {
        expect(part.seq).toBeGreaterThan(seq);
        Y.applyUpdate(doc, part.update);
        for (const update of log.slice(seq, part.seq)) {
          // All that the part stands for is in it.
          const { to } = Y.parseUpdateMeta(update);
          for (const [client, end] of to)
            expect(Y.getState(doc.store, client)).toBeGreaterThanOrEqual(end);
        }
        expect(doc.store.pendingStructs).toBe(null);
        seq = part.seq;
      }
      expect(seq).toBe(head);
      const direct = new Y.Doc();
      for (const update of log.slice(0, head)) Y.applyUpdate(direct, update);
      expect(doc.getText("text").toJSON()).toBe(direct.getText("text").toJSON());
    }
  }
});

test("[S44] what many lack is merged once, as long as the history is the same", () => {
  const log = logOf(9_000, seededRandom(45), () => false);
  const tail = new MergedTail(newSharedMemory());
  const parts = (epoch: string, after: number) => [...tail.parts(epoch, log.slice(after), after)];
  const first = parts("one", 0);
  // Two long runs, twelve runs, and the end.
  expect(first.length).toBe(2 + 12 + 1);
  const second = parts("one", 1_000);
  const known = new Set(first.map(({ update }) => update));
  const shared = second.filter(({ update }) => known.has(update));
  expect(shared.length).toBe(1 + 12);
  expect(parts("one", 0).filter(({ update }) => known.has(update)).length).toBe(2 + 12);
  expect(parts("two", 0).filter(({ update }) => known.has(update)).length).toBe(0);
});

test("[Q55] what is kept merged counts for the user, and goes when there is no room for it", () => {
  const log = logOf(9_000, seededRandom(46), () => false);
  const memory = newMemory({ bytesPerPayer: 250_000 });
  const tail = new MergedTail(newSharedMemory(memory));
  const parts = () => [...tail.parts("one", log, 0)];
  const first = new Set(parts().map(({ update }) => update));
  expect(memory.bytes).toBeGreaterThan(64 * 1024);
  expect(parts().some(({ update }) => first.has(update))).toBe(true);
  memory.open(payingUser("me"), () => undefined).set(120_000);
  expect([memory.bytes, memory.givenUp]).toEqual([120_000, 1]);
  expect(parts().some(({ update }) => first.has(update))).toBe(false);
});
