import { expect, test } from "vitest";
import * as Y from "yjs";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { TimeMarks } from "../../../src/core/node/time-marks.ts";

function author(client: number): { doc: Y.Doc; marks: TimeMarks; text: Y.Text } {
  const doc = new Y.Doc();
  doc.clientID = client;
  const marks = new TimeMarks(doc.getArray<number>("clk"));
  doc.on("afterTransaction", (transaction: Y.Transaction) => marks.update(transaction));
  return { doc, marks, text: doc.getText("text") };
}

test("[M1] what is written after a mark carries its time, what came before the one before", () => {
  const { doc, marks, text } = author(5);
  const at = (nowSec: number, content: string): number =>
    doc.transact(() => {
      marks.markIfDue(nowSec, 60);
      const clock = Y.getState(doc.store, 5);
      text.insert(0, content);
      return clock;
    });
  const clocks = [at(1000, "a"), at(1059, "b"), at(1060, "c")];
  expect(clocks.map((clock) => marks.timeOf(5, clock))).toEqual([1000, 1000, 1060]);
  expect(marks.timeOf(6, 0)).toBe(0);
  expect(doc.getArray("clk").toArray()).toEqual([1000, 1060]);
});

test("[M1] a clock that was put right gets a mark at once", () => {
  const { marks, doc } = author(5);
  marks.markIfDue(9000, 60);
  marks.markIfDue(1000, 60);
  expect(doc.getArray("clk").toArray()).toEqual([9000, 1000]);
});

test("[M2] marks of others, in any order and from a loaded document, say the same", () => {
  const a = author(5);
  const b = author(9);
  const updates: Uint8Array[] = [];
  for (const { doc } of [a, b]) doc.on("update", (update: Uint8Array) => updates.push(update));
  for (const [replica, nowSec] of [
    [a, 100],
    [b, 150],
    [a, 200],
    [b, 350],
  ] as const) {
    replica.doc.transact(() => {
      replica.marks.markIfDue(nowSec, 1);
      replica.text.insert(0, "x");
    });
  }
  const late = author(1);
  for (const update of updates.toReversed()) Y.applyUpdate(late.doc, update);
  const loaded = new Y.Doc();
  Y.applyUpdate(loaded, Y.encodeStateAsUpdate(late.doc));
  const fromStore = new TimeMarks(loaded.getArray<number>("clk"));
  inOneGo(fromStore.read());
  for (const marks of [late.marks, fromStore]) {
    expect([0, 1, 2, 3].map((clock) => marks.timeOf(5, clock))).toEqual([100, 100, 200, 200]);
    expect([0, 1, 2, 3].map((clock) => marks.timeOf(9, clock))).toEqual([150, 150, 350, 350]);
  }
});

test("[M2] nonsense among the marks is passed over", () => {
  const { doc, marks } = author(5);
  const array = doc.getArray<unknown>("clk");
  array.push(["x", Number.NaN, -1, 7, { a: 1 }, null]);
  array.push([new Y.Map()]);
  expect(marks.timeOf(5, 2)).toBe(0);
  expect(marks.timeOf(5, 100)).toBe(7);
});
