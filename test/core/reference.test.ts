import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CALENDAR,
  dayKey,
  INBOX,
  monthKey,
  newNodeKey,
  newOutlineId,
  nodeIdOf,
  ROOT,
  systemNodeOf,
  yearKey,
  type NodeKey,
} from "../../src/core/node-key.ts";
import {
  find,
  findDestination,
  type DestinationTree,
  parseReference,
  shortcutProblem,
  type Reference,
} from "../../src/core/reference.ts";

let seed = 7;
const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const OUTLINE = newOutlineId(random);
const KEY = newNodeKey(random);
const ID = nodeIdOf(OUTLINE, KEY);
const EARLIER_ID = `${OUTLINE.slice(0, 8)}-${OUTLINE.slice(8, 12)}-${OUTLINE.slice(12, 16)}-${OUTLINE.slice(16)}-${KEY}`;
// A Friday.
const CONTEXT = {
  outline: OUTLINE,
  today: () => ({ year: 2026, month: 11, day: 20 }),
  weekStart: 1,
} as const;

function parse(text: string | null | undefined, weekStart: 0 | 1 | 6 = 1): Reference {
  return parseReference(text, { ...CONTEXT, weekStart });
}

const node = (key: NodeKey): Reference => ({ kind: "node", key });

describe("forms", () => {
  test.each([undefined, null, "", "  ", "None", "none", "NULL", "root", "Root"])(
    "[R7] %j is the top level",
    (text) => {
      expect(parse(text)).toEqual({ kind: "root" });
    },
  );

  test.each([
    ID,
    ID.toUpperCase(),
    ID.replaceAll("-", ""),
    KEY,
    KEY.toUpperCase(),
    ` ${KEY} `,
    `^${KEY}`,
    `^${ID.toUpperCase()}`,
    `https://example.org/#/${ID}`,
    `HTTPS://EXAMPLE.ORG/#/${KEY.toUpperCase()}`,
    `https://example.org/#/${KEY}`,
    `http://localhost:3000/some/path#/${KEY}`,
    `https://example.org/#/${ID}?q=is%3Atodo`,
    `#/${KEY}/`,
  ])("[R1, R2, R3, R4] %s is the node", (text) => {
    expect(parse(text)).toEqual(node(KEY));
  });

  test.each([EARLIER_ID, EARLIER_ID.toUpperCase(), OUTLINE + KEY, `#/${EARLIER_ID}`])(
    "[R16] %s, as earlier versions wrote it, is the node",
    (text) => {
      expect(parse(text)).toEqual(node(KEY));
    },
  );

  test("[R13] an id that differs from the node's in any digit before the key is unknown", () => {
    for (let at = 0; at < ID.length - KEY.length; at++) {
      const digit = Number.parseInt(ID.charAt(at), 16);
      if (Number.isNaN(digit)) continue;
      const other = ID.slice(0, at) + (digit ^ 1).toString(16) + ID.slice(at + 1);
      expect(parse(other)).toEqual({ kind: "unknown" });
    }
  });

  test.each([
    ["inbox", INBOX],
    ["INBOX", INBOX],
    ["calendar", CALENDAR],
    ["today", dayKey(2026, 11, 20)],
    ["Tomorrow", dayKey(2026, 11, 21)],
    ["next_week", dayKey(2026, 11, 23)],
    ["2026", yearKey(2026)],
    ["2026-01", monthKey(2026, 1)],
    ["1000-01-01", dayKey(1000, 1, 1)],
    ["2024-02-29", dayKey(2024, 2, 29)],
    ["9999-12-31", dayKey(9999, 12, 31)],
  ] as const)("[R10] %s is its system node", (text, key) => {
    expect(parse(text)).toEqual(node(key));
  });

  test("[K5] the next week begins on the day that the settings say", () => {
    expect(parse("next_week", 0)).toEqual(node(dayKey(2026, 11, 22)));
    expect(parse("next_week", 6)).toEqual(node(dayKey(2026, 11, 21)));
  });

  test.each([
    "2026-13",
    "2026-00",
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-01-00",
    "2026-12-32",
    "0999",
    "0000",
    ID.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
    "https://example.org/#/nonsense",
    "https://example.org/#/",
  ])("[R11, R12] %s is unknown", (text) => {
    expect(parse(text)).toEqual({ kind: "unknown" });
  });

  test("[R15, Q74] a text that is too long to mean anything is unknown, and quickly", () => {
    const longest = `https://example.org/${"a".repeat(2048 - 34)}#/${KEY}`;
    expect([longest.length, parse(longest)]).toEqual([2048, node(KEY)]);
    expect(parse(`x${longest}`)).toEqual({ kind: "unknown" });
    expect(parse(" ".repeat(4096) + KEY)).toEqual(node(KEY));
    // Quadratic work on this would take a minute.
    expect(parse(`#/${"/".repeat(1 << 19)}x`)).toEqual({ kind: "unknown" });
  });

  test("[R5, R8, R14] anything else is a shortcut, and home falls back to the top level", () => {
    expect(parse("Work")).toEqual({ kind: "shortcut", shortcut: "work", orRoot: false });
    expect(parse("home")).toEqual({ kind: "shortcut", shortcut: "home", orRoot: true });
    const words = "__proto__ constructor tostring 999 10000 2026-1 2026-01-1 2026-01-01t00:00:00z";
    for (const text of [...words.split(" "), KEY.slice(1), `${KEY}0`, "https://example.org/"]) {
      expect(parse(text)).toEqual({ kind: "shortcut", shortcut: text, orRoot: false });
    }
  });

  test("[R12] no text makes the parser throw", () => {
    fc.assert(fc.property(fc.string(), (text) => parse(text).kind !== undefined));
  });
});

describe("finding", () => {
  /** A tree of one path: KEY below the calendar, and a shortcut to it. */
  const tree: DestinationTree = {
    has: (key) => key === KEY || key === CALENDAR,
    contains: (ancestor, key) =>
      ancestor === ROOT || ancestor === key || (ancestor === CALENDAR && key === KEY),
    shortcutNode: (shortcut) => (shortcut === "work" ? KEY : undefined),
    wouldContain: (ancestor, key) =>
      systemNodeOf(key) !== undefined &&
      (ancestor === ROOT || (ancestor === CALENDAR && key !== INBOX)),
  };

  test("[R7] finds what is visible, through every form", () => {
    expect(find(tree, parse(ID))).toBe(KEY);
    expect(find(tree, parse("Work"))).toBe(KEY);
    expect(find(tree, parse("home"))).toBe(ROOT);
    expect(find(tree, parse(null))).toBe(ROOT);
    expect(find(tree, parse("inbox"))).toBeUndefined();
    expect(find(tree, parse("nothing"))).toBeUndefined();
    expect(find(tree, { kind: "unknown" })).toBeUndefined();
  });

  test("[R7] a destination may also be a system node that is yet to be made", () => {
    expect(findDestination(tree, parse("inbox"))).toBe(INBOX);
    expect(findDestination(tree, parse("2026-11-20"))).toBe(dayKey(2026, 11, 20));
    expect(findDestination(tree, parse("2026-02-30"))).toBeUndefined();
    expect(findDestination(tree, node("0000999913ff" as NodeKey))).toBeUndefined();
    expect(findDestination(tree, node(newNodeKey(random)))).toBeUndefined();
  });

  test("[R8] in a scope, the top level is the scope and what is outside does not exist", () => {
    expect(find(tree, parse(null), KEY)).toBe(KEY);
    expect(find(tree, parse("home"), KEY)).toBe(KEY);
    expect(find(tree, parse("calendar"), KEY)).toBeUndefined();
    expect(find(tree, parse(ID), CALENDAR)).toBe(KEY);
    expect(findDestination(tree, parse("2026"), CALENDAR)).toBe(yearKey(2026));
    expect(findDestination(tree, parse("2026"), KEY)).toBeUndefined();
    expect(findDestination(tree, parse("inbox"), CALENDAR)).toBeUndefined();
  });
});

test("[T7, T8] a shortcut key may not mean something else, in any case", () => {
  for (const text of [
    "",
    "None",
    "ROOT",
    "null",
    "inbox",
    "Today",
    "next_week",
    ID,
    ID.replaceAll("-", ""),
    KEY.toUpperCase(),
    `^${KEY}`,
    "2026",
    "2026-99",
    "2026-02-30",
    "a/b",
    "a\u0000b",
    ".",
    " .. ",
    "x".repeat(101),
  ]) {
    expect(shortcutProblem(text), text).toBeTypeOf("string");
  }
  for (const text of [
    "home",
    "work",
    "reading list",
    "20261",
    "...",
    ".env",
    "constructor",
    "__proto__",
    "日本",
  ]) {
    expect(shortcutProblem(text), text).toBeUndefined();
  }
});
