import {
  asked,
  both,
  complete,
  did,
  layout,
  move,
  moved,
  pointed,
  set,
  shortcut,
  told,
  weekStart,
} from "./acts.ts";
import { type Act, playAll, type Shows } from "./scene.ts";

const layoutOfX: Shows = (outline, at) => outline.node(at("x"))?.layout ?? "none";
const isDone: Shows = (outline, at) =>
  outline.node(at("x"))?.completedAt === null ? "open" : "done";
const shortcutOf: Shows = (outline, at) =>
  ["x", "y"].find((line) => outline.shortcutNode("work") === at(line)) ?? "none";
const firstDay: Shows = (outline) => `${outline.settings().weekStart}`;

/** When the line was completed for the first time in the scene under way, Unix seconds. */
let firstAt: number | null | undefined;
const completeFirst: Act = (who, at) => {
  complete("x")(who, at);
  firstAt = who.outline.node(at("x"))?.completedAt;
};
const isFirstTime: Shows = (outline, at) =>
  typeof firstAt === "number" && outline.node(at("x"))?.completedAt === firstAt
    ? "at the first time"
    : `at ${outline.node(at("x"))?.completedAt}`;
/** So that they are seconds apart that differ. */
const SECONDS_MS = 1_100;

playAll([
  {
    what: "[D70] layout on a device, then over REST",
    lines: "x",
    acts: [
      ["one", layout("x", "h1")],
      ["rest", told("x", { layoutMode: "h2" })],
    ],
    wanted: "h2",
    shows: layoutOfX,
  },
  {
    what: "[D70] layout over REST, then on a device",
    lines: "x",
    acts: [
      ["rest", told("x", { layoutMode: "h2" })],
      ["one", layout("x", "h1")],
    ],
    wanted: "h1",
    shows: layoutOfX,
  },
  {
    what: "[D70] layout on three devices",
    lines: "x",
    acts: [
      ["two", layout("x", "h1")],
      ["three", layout("x", "todo")],
      ["one", layout("x", "h2")],
    ],
    wanted: "h2",
    shows: layoutOfX,
  },
  {
    what: "[D70] shortcut on a device, then over REST",
    lines: "x y",
    acts: [
      ["one", shortcut("work", "x")],
      ["rest", pointed("work", "y")],
    ],
    wanted: "y",
    shows: shortcutOf,
  },
  {
    what: "[D70] shortcut over REST, then on a device",
    lines: "x y",
    acts: [
      ["rest", pointed("work", "y")],
      ["one", shortcut("work", "x")],
    ],
    wanted: "x",
    shows: shortcutOf,
  },
  {
    what: "[D70, D75] shortcut on a device, then removed over REST",
    lines: "x y",
    before: shortcut("work", "y"),
    acts: [
      ["one", shortcut("work", "x")],
      ["rest", asked("DELETE", "/targets/work")],
    ],
    wanted: "none",
    shows: shortcutOf,
  },
  {
    what: "[D70] setting on a device, then over REST",
    lines: "x",
    acts: [
      ["one", weekStart(3)],
      ["rest", set({ weekStart: 6 })],
    ],
    wanted: "6",
    shows: firstDay,
  },
  {
    what: "[D70] setting over REST, then on two devices",
    lines: "x",
    acts: [
      ["rest", set({ weekStart: 6 })],
      ["two", weekStart(3)],
      ["one", weekStart(1)],
    ],
    wanted: "1",
    shows: firstDay,
  },
  {
    what: "[D71] complete on a device, then reopened over REST",
    lines: "x",
    acts: [
      ["one", complete("x")],
      ["rest", did("x", "complete")],
      ["rest", did("x", "uncomplete")],
    ],
    wanted: "open",
    shows: isDone,
  },
  {
    what: "[D71] reopened over REST, then completed on a device",
    lines: "x",
    before: complete("x"),
    apartMs: SECONDS_MS,
    acts: [
      ["rest", did("x", "uncomplete")],
      ["one", both(complete("x", false), complete("x"))],
    ],
    wanted: "done",
    shows: isDone,
  },
  {
    what: "[D71] completed on a device, then over REST and on another",
    lines: "x",
    apartMs: SECONDS_MS,
    acts: [
      ["one", completeFirst],
      ["rest", did("x", "complete")],
      ["two", complete("x")],
    ],
    wanted: "at the first time",
    shows: isFirstTime,
  },
  {
    what: "[D22] moves into each other: the later did not happen",
    lines: "a b c",
    acts: [
      ["one", move("a", "b")],
      ["two", move("b", "a")],
    ],
    wanted: "b(a) c |",
  },
  {
    what: "[D22] moves into each other on two devices and over REST: the latest did not happen",
    lines: "a b c",
    acts: [
      ["one", move("a", "b")],
      ["rest", moved("b", "c")],
      ["two", move("c", "a")],
    ],
    wanted: "c(b(a)) |",
  },
  {
    what: "[D21] move, move over REST",
    lines: "x y z",
    acts: [
      ["one", move("x", "y")],
      ["rest", moved("x", "z")],
    ],
    wanted: "y z(x) |",
  },
  {
    what: "[D21] move over REST, move",
    lines: "x y z",
    acts: [
      ["rest", moved("x", "z")],
      ["one", move("x", "y")],
    ],
    wanted: "y(x) z |",
  },
  {
    what: "[D21] move, move on three devices",
    lines: "x y z w",
    acts: [
      ["two", move("x", "y")],
      ["three", move("x", "w")],
      ["one", move("x", "z")],
    ],
    wanted: "y z(x) w |",
  },
]);
