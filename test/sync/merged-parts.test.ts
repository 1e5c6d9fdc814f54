import { expect, test } from "vitest";
import * as Y from "yjs";
import { mergedParts } from "../../src/sync/merged-parts.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { runs } from "../support/runs.ts";

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
    for (let round = 0; round < runs(4, 12); round++) {
      const after = round === 0 ? 0 : integerBelow(random, log.length);
      const head = round < 2 ? log.length : after + integerBelow(random, log.length - after + 1);
      const lacking = log.slice(after, head);
      const doc = new Y.Doc();
      for (const update of log.slice(0, after)) Y.applyUpdate(doc, update);
      let seq = after;
      for (const part of mergedParts(lacking, after)) {
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
