import { expect, test } from "vitest";
import * as Y from "yjs";
import { mergedUpdate } from "../../../src/core/yjs/merged-update.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

test.each([1, 2, 63, 64, 65, 500, 5000])(
  "[S23] %i updates become one that says the same",
  (count) => {
    const random = seededRandom(count);
    const source = new Y.Doc();
    const updates: Uint8Array[] = [];
    const authors = Array.from({ length: 5 }, (_, index) => {
      const doc = new Y.Doc();
      doc.clientID = index + 1;
      return doc;
    });
    while (updates.length < count) {
      const author = authors[integerBelow(random, authors.length)] ?? source;
      const before = Y.encodeStateVector(author);
      const text = author.getText("text");
      if (text.length > 5 && random() < 0.2) text.delete(integerBelow(random, 5), 1);
      else text.insert(integerBelow(random, text.length + 1), "x");
      const update = Y.encodeStateAsUpdate(author, before);
      updates.push(update);
      Y.applyUpdate(source, update);
    }
    const merged = new Y.Doc();
    Y.applyUpdate(merged, mergedUpdate(updates));
    expect(merged.getText("text").toJSON()).toBe(source.getText("text").toJSON());
    expect(merged.store.pendingStructs).toBeNull();
    expect(Y.encodeStateVector(merged)).toEqual(Y.encodeStateVector(source));
  },
);

test("[S23] an update alone is passed on as it is", () => {
  const update = new Uint8Array([0, 0]);
  expect(mergedUpdate([update])).toBe(update);
  expect(() => mergedUpdate([])).toThrow();
});
