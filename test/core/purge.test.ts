import { expect, test } from "vitest";
import { dayKey, INBOX, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { purge } from "../../src/core/purge.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { Lab, soloOutline } from "../support/lab.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";

function purgeAll(outline: Outline, isDue: (key: NodeKey, kind: string) => boolean): number {
  const work = purge(outline, isDue);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function known(outline: Outline): number {
  return outline.doc.getMap("nodes").size;
}

test("[D37] what is deleted and due is removed, with all below it, and nothing shown changes", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b(c) d(e)) f(g) h");
  outline.trash(keyOf(keys, "d"), 0);
  outline.remove(keyOf(keys, "a"));
  outline.trash(keyOf(keys, "f"), 0);
  let changes = 0;
  outline.onChange(() => changes++);
  expect(purgeAll(outline, () => false)).toBe(0);
  expect(changes).toBe(0);
  expect(purgeAll(outline, (_, kind) => kind === "final")).toBe(5);
  expect([known(outline), shape(outline)]).toEqual([3, "h"]);
  expect(outline.trashedKeys()).toEqual([keyOf(keys, "f")]);
  expect(outline.restore(keyOf(keys, "f")).kind).toBe("ok");
  expect(shape(outline)).toBe("f(g) h");
  expect(purgeAll(outline, () => true)).toBe(0);
});

test("[D37] reserved nodes stay, with what they are in, and can come back", () => {
  const outline = soloOutline();
  const keys = plant(outline, "project(task) a");
  const day = dayKey(2026, 11, 20);
  outline.create({ parent: day, name: "in the day" });
  outline.create({ parent: INBOX, name: "in the inbox" });
  outline.move(day, { parent: keyOf(keys, "project") });
  outline.remove(keyOf(keys, "project"));
  outline.remove(INBOX);
  expect(purgeAll(outline, () => true)).toBe(3);
  expect(outline.children(ROOT).map(({ name }) => name)).toEqual(["a", "📆 Calendar"]);
  outline.create({ parent: day, name: "again" });
  outline.create({ parent: INBOX, name: "again" });
  expect([shape(outline, day), shape(outline, INBOX)]).toEqual(["again", "again"]);
});

test("[D37] it works in chunks, and takes back nothing that happens meanwhile", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a b");
  const [a, b] = [keyOf(keys, "a"), keyOf(keys, "b")];
  outline.doc.transact(() => {
    for (let index = 0; index < 1_000; index++) {
      outline.createPlain({ parent: a, position: "bottom", name: [{ insert: `n${index}` }] });
    }
  });
  outline.trash(a, 0);
  const work = purge(outline, () => true);
  let chunks = 0;
  let restored = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) {
    chunks++;
    if (chunks !== 2) continue;
    outline.restore(a);
    restored = outline.childCount(a);
  }
  expect(chunks).toBe(6);
  expect(restored).toBeGreaterThan(500);
  expect(outline.childKeys(ROOT)).toEqual([a, b]);
  expect(outline.childCount(a)).toBe(restored);
});

test("[D37, Q45] nodes with many pieces of text go in smaller chunks", () => {
  const chunksWith = (pieces: number): number => {
    const outline = soloOutline();
    const a = keyOf(plant(outline, "a"), "a");
    outline.doc.transact(() => {
      for (let count = 0; count < 40; count++) {
        const key = outline.createPlain({ parent: a, position: "bottom", name: [{ insert: "n" }] });
        const text = nodesOf(outline.doc).get(key);
        for (let left = pieces; left > 0; left--) text?.insert(0, "x");
      }
    });
    outline.trash(a, 0);
    let chunks = 0;
    const work = purge(outline, () => true);
    for (let step = work.next(); step.done !== true; step = work.next()) chunks++;
    expect(known(outline)).toBe(0);
    return chunks;
  };
  expect([chunksWith(0), chunksWith(100), chunksWith(1_000)]).toEqual([1, 7, 41]);
});

test("[D37] an edit of a removed node by a device that did not know is gone, all else is not", () => {
  const lab = new Lab("a(b) c");
  const device = lab.device(0);
  device.outline.update(keyOf(lab.keys, "b"), { name: "edited" });
  device.outline.update(keyOf(lab.keys, "c"), { name: "edited" });
  lab.server.outline.remove(keyOf(lab.keys, "a"));
  purgeAll(lab.server.outline, () => true);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe("edited");
});
