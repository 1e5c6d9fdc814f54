import { expect, test } from "vitest";
import * as Y from "yjs";
import { GatheredUpdates } from "../../../../client/lib/gathered-updates.ts";

/** A page whose other work is done when the test says so. */
function busyPage() {
  const doc = new Y.Doc();
  const taken: { readonly seq: number; readonly text: string }[] = [];
  const turns: (() => void)[] = [];
  const yieldNow = () => new Promise<void>((resolve) => turns.push(resolve));
  const gathered = new GatheredUpdates(yieldNow, ({ seq, update }) => {
    Y.applyUpdate(doc, update);
    taken.push({ seq, text: doc.getText().toJSON() });
  });
  const author = new Y.Doc();
  let seq = 0;
  return {
    gathered,
    taken,
    turns,
    write: (text: string): void => {
      const before = Y.encodeStateVector(author);
      author.getText().insert(author.getText().length, text);
      gathered.add({ seq: ++seq, update: Y.encodeStateAsUpdate(author, before) });
    },
    giveTurn: async (): Promise<void> => {
      turns.shift()?.();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

test("[L127] what comes while a page is busy is taken in as one, behind what else waits", async () => {
  const { gathered, taken, turns, write, giveTurn } = busyPage();
  for (const letter of "abcdefgh") write(letter);
  expect(taken).toEqual([]);
  expect(turns.length).toBe(1);
  await giveTurn();
  expect(taken).toEqual([{ seq: 8, text: "abcdefgh" }]);
  expect(turns.length).toBe(0);
  write("i");
  await giveTurn();
  expect(taken).toEqual([
    { seq: 8, text: "abcdefgh" },
    { seq: 9, text: "abcdefghi" },
  ]);
  gathered.flush();
  expect(taken.length).toBe(2);
});

test("[L127] what is much is taken in in several turns", async () => {
  const { taken, turns, write, giveTurn } = busyPage();
  for (let count = 0; count < 3; count++) write("x".repeat(10_000));
  for (let turn = 1; turn <= 3; turn++) {
    expect(turns.length).toBe(1);
    await giveTurn();
    expect(taken.length).toBe(turn);
  }
  expect(turns.length).toBe(0);
});

test("[L127] what is said next finds all that came before it; another connection nothing of it", async () => {
  const { gathered, taken, write, giveTurn } = busyPage();
  write("a");
  write("x".repeat(10_000));
  gathered.flush();
  expect(taken.map(({ seq }) => seq)).toEqual([1, 2]);
  await giveTurn();
  write("b");
  gathered.drop();
  await giveTurn();
  expect(taken.length).toBe(2);
});
