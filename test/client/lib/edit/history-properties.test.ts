import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutlineView } from "../../../../src/core/outline-view.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import { Desk, shown } from "./desk.ts";
import { makeEdit, makeRemoteEdit, randomEdit, type RandomEdit } from "./random-edits.ts";
import { runs } from "../../../support/runs.ts";

const START = "one(two(three) four) five six(seven)";

/** Everything a person sees: tree, texts, states, shortcuts. */
function all(desk: Desk): string {
  return shown(desk.outline) + JSON.stringify(desk.outline.shortcuts());
}

test("[L70] alone, undoing everything gives back what was, and redoing what was made of it", () => {
  let steps = 0;
  fc.assert(
    fc.property(fc.array(randomEdit, { minLength: 1, maxLength: 25 }), (edits) => {
      const desk = new Desk(START);
      const before = all(desk);
      for (const edit of edits) makeEdit(desk, edit);
      const after = all(desk);
      for (let round = 0; round < 2; round++) {
        while (desk.history.canUndo) {
          desk.history.undo();
          steps++;
        }
        expect(all(desk)).toBe(before);
        desk.redoAll();
        expect(all(desk)).toBe(after);
      }
    }),
    { numRuns: runs(100, 300) },
  );
  expect(steps).toBeGreaterThan(runs(300, 1_000));
});

test("[L70] every single step is undone and done again as it was", () => {
  fc.assert(
    fc.property(fc.array(randomEdit, { minLength: 1, maxLength: 15 }), (edits) => {
      const desk = new Desk(START);
      const states = [all(desk)];
      for (const edit of edits) {
        desk.history.seal();
        const { canUndo } = desk.history;
        makeEdit(desk, { ...edit, seconds: edit.seconds + 1 });
        const now = all(desk);
        if (now !== states.at(-1) || (!canUndo && desk.history.canUndo)) states.push(now);
      }
      // A step may change nothing that is shown, but each state is reached, in this order.
      const seen = [all(desk)];
      while (desk.history.canUndo) {
        desk.history.undo();
        if (all(desk) !== seen.at(-1)) seen.push(all(desk));
      }
      const distinct = states.filter((state, index) => state !== states[index - 1]);
      expect(seen).toEqual(distinct.toReversed());
    }),
    { numRuns: runs(60, 200) },
  );
});

type Turn =
  | { readonly who: "here" | "there"; readonly edit: RandomEdit }
  | { readonly who: "sync" | "undo" | "redo" };

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who: fc.constantFrom("here", "there"), edit: randomEdit }) },
  { weight: 2, arbitrary: fc.record({ who: fc.constant("sync" as const) }) },
  { weight: 1, arbitrary: fc.record({ who: fc.constantFrom("undo", "redo") }) },
);

/** Both devices do something in turn; undone is what both know of, as a person would see it. */
function play(turns: readonly Turn[]): {
  readonly desk: Desk;
  readonly written: readonly string[];
} {
  const desk = new Desk(START);
  const written: string[] = [];
  for (const each of turns) {
    if (each.who === "here") makeEdit(desk, each.edit);
    else if (each.who === "there") {
      const token = String.fromCharCode(0xe000 + written.length);
      if (makeRemoteEdit(desk.remote, each.edit, token)) written.push(token);
    } else {
      desk.sync();
      if (each.who !== "sync") desk.history[each.who]();
      desk.sync();
    }
  }
  desk.sync();
  return { desk, written };
}

test("[L71] undoing everything of ours leaves what others wrote and made", () => {
  let tokens = 0;
  fc.assert(
    fc.property(fc.array(turn, { minLength: 4, maxLength: 30 }), (turns) => {
      const { desk, written } = play(turns);
      for (const take of ["undoAll", "redoAll", "undoAll"] as const) {
        desk[take]();
        if (take === "undoAll") expect(missing(desk.outline, written)).toEqual([]);
      }
      desk.sync();
      expect(shown(desk.remote)).toBe(shown(desk.outline));
      tokens += written.length;
    }),
    { numRuns: runs(130, 400) },
  );
  expect(tokens).toBeGreaterThan(runs(300, 1_000));
});

test("[L71] what others wrote is there once, and ours is gone, when no text was copied", () => {
  const copies = new Set(["split", "join", "duplicate"]);
  fc.assert(
    fc.property(fc.array(turn, { minLength: 4, maxLength: 30 }), (turns) => {
      const { desk, written } = play(
        turns.filter((each) => each.who !== "here" || !copies.has(each.edit.kind)),
      );
      desk.undoAll();
      const kept = everyText(desk.outline)
        .split("")
        .filter((letter) => written.includes(letter));
      expect(kept.toSorted()).toEqual(written.toSorted());
      for (const name of Object.keys(desk.keys)) {
        const letters = plainText(desk.outline.richText(desk.key(name), "name")).split("");
        expect(letters.filter((letter) => !written.includes(letter)).join("")).toBe(name);
      }
    }),
    { numRuns: runs(100, 300) },
  );
});

/** The characters of all visible names and notes. */
function everyText(outline: OutlineView): string {
  return [...outline.keysInOrder()]
    .flatMap((key) => [outline.richText(key, "name"), outline.richText(key, "note")])
    .map(plainText)
    .join("\n");
}

function missing(outline: OutlineView, tokens: readonly string[]): readonly string[] {
  const text = everyText(outline);
  return tokens.filter((token) => !text.includes(token));
}
