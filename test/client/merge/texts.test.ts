import { add, added, append, join, note, rename, split, told, typeOver } from "./acts.ts";
import { playAll, type Shows } from "./scene.ts";
import { shape } from "../../support/outline-notation.ts";

/** Words that two wrote in one place stand in the order of their client ids. */
const words: Shows = (outline) => shape(outline).split(" ").toSorted().join(" ");
const noteOfX: Shows = (outline, at) =>
  (outline.node(at("x"))?.note ?? "").split("\n").toSorted().join();
/** Whether lines that one person wrote stand together, in their order. */
const blocks: Shows = (outline) => {
  const shown = shape(outline);
  return ["a1 a2 a3", "b1 b2 b3", "c1(c2 c3)"].filter((block) => shown.includes(block)).join();
};

playAll([
  {
    what: "[D80] the same text on two devices",
    lines: "Kotte",
    acts: [
      ["one", rename("Kotte", "Kotti")],
      ["two", rename("Kotte", "Kotti")],
    ],
    wanted: "Kotti |",
  },
  {
    what: "[D80] the same text on a device and over REST",
    lines: "Kotte",
    acts: [
      ["one", rename("Kotte", "Kotti")],
      ["rest", told("Kotte", { name: "Kotti" })],
    ],
    wanted: "Kotti |",
  },
  {
    what: "[D80] the same new name on three devices and over REST",
    lines: "x",
    before: rename("x", "Old title"),
    acts: [
      ["one", rename("x", "New title")],
      ["rest", told("x", { name: "New title" })],
      ["two", rename("x", "New title")],
      ["three", rename("x", "New title")],
    ],
    wanted: "New title |",
  },
  {
    what: "[D80] the same end on a device and over REST, and another beginning",
    lines: "x",
    before: rename("x", "Buy milk"),
    acts: [
      ["one", append("x", " and eggs")],
      ["rest", told("x", { name: "Buy milk and eggs" })],
      ["two", rename("x", "Please buy milk")],
    ],
    wanted: "Please buy milk and eggs |",
  },
  {
    what: "[D8, D52] different edits of one name on a device and over REST",
    lines: "x",
    before: rename("x", "Buy milk"),
    acts: [
      ["one", rename("x", "Buy oat milk")],
      ["rest", told("x", { name: "Buy milk now" })],
    ],
    wanted: "Buy oat milk now |",
  },
  {
    what: "[D8, L50] words replaced on a device and over REST, and text before and behind them",
    lines: "x",
    before: rename("x", "Buy milk"),
    acts: [
      ["one", typeOver("x", "milk", "bread")],
      ["rest", told("x", { name: "Get milk" })],
      ["two", append("x", " and eggs")],
      ["three", typeOver("x", "", "Please ")],
    ],
    wanted: "Please Get bread and eggs |",
  },
  {
    what: "[D83] another word on two devices",
    lines: "Tuesday",
    acts: [
      ["one", rename("Tuesday", "Wednesday")],
      ["two", rename("Tuesday", "Thursday")],
    ],
    wanted: "Thursday Wednesday",
    shows: words,
  },
  {
    what: "[D83] another word on a device and over REST",
    lines: "Tuesday",
    acts: [
      ["one", rename("Tuesday", "Wednesday")],
      ["rest", told("Tuesday", { name: "Thursday" })],
    ],
    wanted: "Thursday Wednesday",
    shows: words,
  },
  {
    what: "[D82] split, split: the second line of the two is in the trash",
    lines: "onetwo",
    acts: [
      ["one", split("onetwo", 3)],
      ["two", split("onetwo", 3)],
    ],
    wanted: "one two | two",
  },
  {
    what: "[D52] split, text over REST",
    lines: "onetwo",
    acts: [
      ["one", split("onetwo", 3)],
      ["rest", told("onetwo", { name: "oonetwo" })],
    ],
    wanted: "oone two |",
  },
  {
    what: "[D52] split, text at the end",
    lines: "onetwo",
    acts: [
      ["one", split("onetwo", 3)],
      ["two", append("onetwo", "!")],
    ],
    wanted: "one! two |",
  },
  {
    what: "[D80] join, join of a line of one letter",
    lines: "one a",
    acts: [
      ["one", join("a", "one")],
      ["two", join("a", "one")],
    ],
    wanted: "onea | a",
  },
  {
    what: "[D80] join, join of a word on three devices",
    lines: "one two",
    acts: [
      ["one", join("two", "one")],
      ["two", join("two", "one")],
      ["three", join("two", "one")],
    ],
    wanted: "onetwo | two",
  },
  {
    what: "[D81] a letter that two type at one end of a line is there twice",
    lines: "one",
    acts: [
      ["one", append("one", "!")],
      ["two", append("one", "!")],
    ],
    wanted: "one!! |",
  },
  {
    what: "[D6] notes that are begun on two devices and over REST",
    lines: "x",
    acts: [
      ["one", note("x", "first")],
      ["two", note("x", "second")],
      ["rest", told("x", { note: "third" })],
    ],
    wanted: "first,second,third",
    shows: noteOfX,
  },
  {
    what: "[D6] the same note begun on a device and over REST",
    lines: "x",
    acts: [
      ["one", note("x", "alike")],
      ["rest", told("x", { note: "alike" })],
    ],
    wanted: "alike",
    shows: noteOfX,
  },
  {
    what: "[O4] lines of each at one place on two devices and over REST stay together",
    lines: "x",
    acts: [
      ["one", add("a1 a2 a3")],
      ["two", add("b1 b2 b3")],
      ["rest", added("c1\n\nc2\n\nc3", undefined)],
    ],
    wanted: "a1 a2 a3,b1 b2 b3,c1(c2 c3)",
    shows: blocks,
  },
]);
