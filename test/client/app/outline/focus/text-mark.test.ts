import { describe, expect, it } from "vitest";
import { focusOfKept, keptFocus } from "../../../../../client/app/outline/focus/kept-focus.ts";
import { markText, rangeOfMark } from "../../../../../client/app/outline/focus/text-mark.ts";
import { type Desk, openDesk } from "../../../support/fake-workspace.ts";

/** Another device's hand in the name of `abcdef`. */
function write({ replica, key }: Desk, at: number, remove: number, insert: string): void {
  replica.outline.editText(key("abcdef"), "name", (name) => {
    name.delete(at, remove);
    name.insert(at, insert);
  });
}

describe("a place in a text", () => {
  it("[W89] is the same characters when others have written before it, in it and at its edges", async () => {
    const desk = await openDesk("abcdef");
    const range = { key: desk.key("abcdef"), part: "name", from: 2, to: 4 } as const;
    const mark = markText(desk.replica, range);
    expect(rangeOfMark(desk.replica, mark)).toEqual(range);
    write(desk, 4, 0, "behind ");
    write(desk, 2, 0, "before ");
    write(desk, 0, 1, "start ");
    expect(rangeOfMark(desk.replica, mark)).toEqual({ ...range, from: 14, to: 16 });
    write(desk, 15, 0, "in");
    expect(rangeOfMark(desk.replica, mark)).toEqual({ ...range, from: 14, to: 18 });
    write(desk, 13, 5, "");
    expect(rangeOfMark(desk.replica, mark)).toEqual({ ...range, from: 13, to: 13 });
  });

  it("[W89] is a caret before what comes exactly there, at the ends and in nothing too", async () => {
    const desk = await openDesk("abcdef");
    const caretAt = (at: number) =>
      markText(desk.replica, { key: desk.key("abcdef"), part: "name", from: at, to: at });
    const marks = [caretAt(0), caretAt(3), caretAt(6)];
    for (const at of [6, 3, 0]) write(desk, at, 0, "x");
    expect(marks.map((mark) => rangeOfMark(desk.replica, mark)?.to)).toEqual([0, 4, 8]);
    const note = { key: desk.key("abcdef"), part: "note", from: 0, to: 0 } as const;
    const inNothing = markText(desk.replica, note);
    desk.replica.edits.type(note.key, "note", { at: 0, remove: 0, insert: "said" });
    expect(rangeOfMark(desk.replica, inNothing)).toEqual(note);
  });

  it("[W89] is gone with its node", async () => {
    const desk = await openDesk("abcdef");
    const mark = markText(desk.replica, {
      key: desk.key("abcdef"),
      part: "name",
      from: 1,
      to: 2,
    });
    desk.replica.edits.trash([desk.key("abcdef")]);
    expect(rangeOfMark(desk.replica, mark)).toBeUndefined();
  });

  it("[W89] is kept as the focus that it was", async () => {
    const desk = await openDesk("abcdef b");
    const { focus } = desk.workspace;
    focus.selectText(desk.key("abcdef"), "name", 4, 1);
    const kept = keptFocus(desk.replica, focus.state.get());
    write(desk, 0, 0, "12");
    expect(focusOfKept(desk.replica, kept)).toEqual({
      kind: "text",
      id: desk.key("abcdef"),
      part: "name",
      anchor: 6,
      head: 3,
    });
    focus.selectNodes([desk.key("b")], desk.key("b"), desk.key("b"));
    const nodes = keptFocus(desk.replica, focus.state.get());
    expect(focusOfKept(desk.replica, nodes)).toEqual(focus.state.get());
    desk.replica.edits.trash([desk.key("b")]);
    expect(focusOfKept(desk.replica, nodes)).toBeUndefined();
    expect(focusOfKept(desk.replica, keptFocus(desk.replica, undefined))).toBeUndefined();
  });
});
