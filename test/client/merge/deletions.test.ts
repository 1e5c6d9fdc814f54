import { dayKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { plant, shape } from "../../support/outline-notation.ts";
import {
  add,
  added,
  append,
  asked,
  both,
  complete,
  deleted,
  discard,
  join,
  move,
  moved,
  note,
  restore,
  told,
  toTheEnd,
  trash,
} from "./acts.ts";
import { type Act, playAll, type Shows } from "./scene.ts";

const DAY = dayKey(2026, 11, 20);
const addToDay =
  (lines: string): Act =>
  ({ outline }) =>
    void plant(outline, lines, DAY);
const linesOfDay: Shows = (outline) =>
  outline
    .children(DAY)
    .map(({ name }) => name)
    .toSorted()
    .join(" ");
const trashed = (outline: Outline): readonly string[] =>
  outline.trashedKeys().map((key) => textOf(nodesOf(outline.doc), key)?.toJSON() ?? "");

playAll([
  {
    what: "[D72] move, delete for good",
    lines: "x y",
    acts: [
      ["one", move("x", "y")],
      ["rest", deleted("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] reorder, delete for good",
    lines: "x y",
    acts: [
      ["one", toTheEnd("x")],
      ["rest", deleted("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] trash, delete for good",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", deleted("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] trash and restore, delete for good",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", deleted("x")],
      ["one", restore("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] restore, then delete for good from the trash",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["two", restore("x")],
      ["one", discard("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] delete for good from the trash, then restore",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["one", discard("x")],
      ["two", restore("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] move, trash and restore, delete for good",
    lines: "x y",
    acts: [
      ["one", move("x", "y")],
      ["two", both(trash("x"), restore("x"))],
      ["rest", deleted("x")],
      ["three", toTheEnd("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D32] add below, delete for good",
    lines: "x y",
    acts: [
      ["one", add("new", "x")],
      ["rest", deleted("x")],
    ],
    wanted: "new y |",
  },
  {
    what: "[D32] move into, delete for good",
    lines: "x y z",
    acts: [
      ["one", move("z", "x")],
      ["rest", deleted("x")],
    ],
    wanted: "z y |",
  },
  {
    what: "[D31] move out of, delete for good",
    lines: "x(a) y",
    acts: [
      ["rest", deleted("x")],
      ["one", move("a", "y")],
    ],
    wanted: "y(a) |",
  },
  {
    what: "[D90] text, delete for good",
    lines: "x y",
    acts: [
      ["one", append("x", "tra")],
      ["rest", deleted("x")],
    ],
    wanted: "y | tra",
  },
  {
    what: "[D90] text, completion and note of one, text of another, delete for good",
    lines: "x y",
    acts: [
      ["one", both(append("x", "tra"), complete("x"), note("x", "noted"))],
      ["two", append("x", "tor")],
      ["rest", deleted("x")],
    ],
    // Whose text comes first in the line is left to Yjs.
    wanted: "tra,tor in 1",
    shows: (outline) => {
      const kept = trashed(outline);
      const has = ["tra", "tor"].filter((text) => kept.join().includes(text));
      return `${has.join()} in ${kept.length}`;
    },
  },
  {
    what: "[D33] text, join: what is typed into the joined line is with it in the trash",
    lines: "one two",
    acts: [
      ["one", join("two", "one")],
      ["two", append("two", "typed")],
    ],
    wanted: "onetwo | twotyped",
  },
  {
    what: "[D32, D92] add below, trash; then it is restored",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["two", add("new", "x")],
    ],
    wanted: "new y | x",
    afterwards: { act: restore("x"), wanted: "x(new) y |" },
  },
  {
    what: "[D32, D92] add below and rename over REST, trash; then it is restored",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", added("new", "x")],
      ["rest", told("x", { name: "z" })],
    ],
    wanted: "new y | z",
    afterwards: { act: restore("x"), wanted: "z(new) y |" },
  },
  {
    what: "[D33] move, trash",
    lines: "x y",
    acts: [
      ["one", move("x", "y")],
      ["two", trash("x")],
    ],
    wanted: "y(x) |",
  },
  {
    what: "[D33] move over REST, trash",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", moved("x", "y")],
    ],
    wanted: "y(x) |",
  },
  {
    what: "[D30, D34] trash, trash of what is above it: one restore brings each back",
    lines: "x(a) y",
    acts: [
      ["one", trash("a")],
      ["two", trash("x")],
    ],
    wanted: "y | a,x",
    shows: (outline) => `${shape(outline)} | ${trashed(outline).toSorted().join()}`.trim(),
    afterwards: { act: both(restore("x"), restore("a")), wanted: "x(a) y |" },
  },
  {
    what: "[D70] trash, restore",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["one", restore("x")],
      ["two", restore("x")],
      ["two", trash("x")],
    ],
    wanted: "y | x",
  },
  {
    what: "[D70] trash, then restore",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["two", both(restore("x"), trash("x"))],
      ["one", restore("x")],
    ],
    wanted: "x y |",
  },
  {
    what: "[D35, D41] add to a day, delete the day: it comes back with that alone",
    lines: "x",
    before: addToDay("old"),
    acts: [
      ["one", addToDay("new")],
      ["rest", asked("DELETE", "/nodes/2026-11-20")],
    ],
    wanted: "new",
    shows: linesOfDay,
  },
  {
    what: "[D40] add to the same new day on two devices and over REST",
    lines: "x",
    acts: [
      ["one", addToDay("a")],
      ["two", addToDay("b")],
      ["rest", asked("POST", "/nodes", { name: "c", parent_id: "2026-11-20" })],
    ],
    wanted: "a b c",
    shows: linesOfDay,
  },
]);
