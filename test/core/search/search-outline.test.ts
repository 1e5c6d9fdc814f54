import { expect, test } from "vitest";
import { pairsOf } from "../../../src/core/search/letter-pairs.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { prepareSearch, searchOutline } from "../../../src/core/search/search-outline.ts";
import { timeSpan } from "../../../src/core/search/time-span.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { callsOf } from "../../support/calls-of.ts";
import { HandClock, soloOutline } from "../../support/lab.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

/** An outline with a name, a note or more for each node, all at the top level. */
function planted(...nodes: readonly (string | readonly [name: string, note: string])[]): Outline {
  const outline = soloOutline();
  for (const node of nodes) {
    const [name, note] = typeof node === "string" ? [node, undefined] : node;
    outline.createPlain({
      parent: ROOT,
      position: "bottom",
      name: [{ insert: name }],
      ...(note !== undefined && { note: [{ insert: note }] }),
    });
  }
  return outline;
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** The names that a query finds. */
function found(outline: Outline, query: string, from = ROOT, limit?: number): readonly string[] {
  const parsed = parseQuery(query, { nowMs: outline.now(), timezone: "Europe/Zurich" });
  const { matches } = searchOutline(outline, parsed, from, limit);
  return matches.map(({ key }) => outline.node(key)?.name ?? "gone");
}

test("[L80] all words have to be there, in any order, in name or note, parts of words too", () => {
  const outline = planted("one two three", "two one", ["one", "about two"], "two", "twofold bone");
  expect(found(outline, "two one")).toEqual(["one two three", "two one", "one", "twofold bone"]);
  expect(found(outline, "")).toEqual(["one two three", "two one", "one", "two", "twofold bone"]);
  expect(found(outline, "four")).toEqual([]);
  expect(found(outline, "one", ROOT, 2)).toEqual(["one two three", "two one"]);
});

test("[L80] case and accents do not matter", () => {
  const outline = planted("Zürich", "CAFÉ au lait", "Ελλάδα", "naïve");
  expect(found(outline, "zurich")).toEqual(["Zürich"]);
  expect(found(outline, "ZÜRI")).toEqual(["Zürich"]);
  expect(found(outline, "cafe")).toEqual(["CAFÉ au lait"]);
  expect(found(outline, "ελλαδα")).toEqual(["Ελλάδα"]);
  expect(found(outline, "naïve")).toEqual(["naïve"]);
});

test("[L80] letters that are no plain ones with an accent are found by these", () => {
  const outline = planted("Grüße", "STRASSE, Straße", "Iğdır", "Łódź", "Ærø", "œuvre", "Þórður");
  expect(found(outline, "grusse")).toEqual(["Grüße"]);
  expect(found(outline, "GRÜẞE")).toEqual(["Grüße"]);
  expect(found(outline, "straße")).toEqual(["STRASSE, Straße"]);
  expect(found(outline, "IGDIR")).toEqual(["Iğdır"]);
  expect(found(outline, "ığdır")).toEqual(["Iğdır"]);
  expect(found(outline, "lodz")).toEqual(["Łódź"]);
  expect(found(outline, "aero")).toEqual(["Ærø"]);
  expect(found(outline, "OEuvre")).toEqual(["œuvre"]);
  expect(found(outline, "thordur")).toEqual(["Þórður"]);
});

test("[L80] what programs make of plain letters and signs is found by these", () => {
  const outline = planted(
    "don’t",
    "“two” words",
    "ﬁnal oﬃce",
    "Ｆｕｌｌ ７",
    "ﾃﾞｰﾀ",
    "5\u00a0€ net",
  );
  expect(found(outline, "don't")).toEqual(["don’t"]);
  expect(found(outline, "don’t")).toEqual(["don’t"]);
  expect(found(outline, "final office")).toEqual(["ﬁnal oﬃce"]);
  expect(found(outline, "full 7")).toEqual(["Ｆｕｌｌ ７"]);
  expect(found(outline, "データ")).toEqual(["ﾃﾞｰﾀ"]);
  expect(found(outline, '"5 €"')).toEqual(["5\u00a0€ net"]);
  const unseen = planted("hy\u00adphen", "zero\u200bwidth", "to \u200fthe left", "well\u2011known");
  expect(found(unseen, "hyphen")).toEqual(["hy\u00adphen"]);
  expect(found(unseen, "zerowidth")).toEqual(["zero\u200bwidth"]);
  expect(found(unseen, '"to the"')).toEqual(["to \u200fthe left"]);
  expect(found(unseen, "well-known")).toEqual(["well\u2011known"]);
});

test("[L82] signs beside a tag are none of it, whatever they are folded to", () => {
  const outline = planted("#家：買う", "#home—then", "#home…then", "„#home“");
  expect(found(outline, "#家")).toEqual(["#家：買う"]);
  expect(found(outline, "#home")).toEqual(["#home—then", "#home…then", "„#home“"]);
});

test("[L80] a Greek word is found by its beginning, whose last letter is another inside the word", () => {
  const outline = planted("ΟΔΟΣΗΜΑΝΣΗ", "οδός");
  expect(found(outline, "ΟΔΟΣ")).toEqual(["ΟΔΟΣΗΜΑΝΣΗ", "οδός"]);
  expect(found(outline, "οδοσ")).toEqual(["ΟΔΟΣΗΜΑΝΣΗ", "οδός"]);
});

test("[L81] quotes hold words together, a minus leaves out, OR stands for either", () => {
  const outline = planted("one two", "two one", "one three", "two", "minus - sign", "an or b");
  expect(found(outline, '"one two"')).toEqual(["one two"]);
  expect(found(outline, '"one t')).toEqual(["one two", "one three"]);
  expect(found(outline, "“one two” -„one two three“")).toEqual(["one two"]);
  expect(found(outline, "one -two")).toEqual(["one three"]);
  expect(found(outline, 'two -"one two"')).toEqual(["two one", "two"]);
  expect(found(outline, "three OR two one")).toEqual(["one two", "two one", "one three"]);
  expect(found(outline, "three OR minus OR b")).toEqual(["one three", "minus - sign", "an or b"]);
  expect(found(outline, "three OR")).toEqual(["one three"]);
  expect(found(outline, "OR")).toEqual(["an or b"]);
  expect(found(outline, "an or b")).toEqual(["an or b"]);
  expect(found(outline, "-")).toEqual(["minus - sign"]);
  expect(found(outline, '""')).toHaveLength(6);
});

test("[L82] a tag is found as a whole, in any case, with the tags below it", () => {
  const outline = planted(
    "buy #home",
    "#Homework",
    "x#home",
    "#home/garden",
    ["y", "ask @Ann, soon"],
    "ann@home.org",
    "#a #home.",
  );
  expect(found(outline, "#home")).toEqual(["buy #home", "#home/garden", "#a #home."]);
  expect(found(outline, "@ann")).toEqual(["y"]);
  expect(found(outline, "-#home #a")).toEqual([]);
  expect(found(outline, "#")).toHaveLength(5);
});

test("[L82] a mark inside a tag is part of it, and one behind it is not", () => {
  const outline = planted("#v1 a", "#v1.2 b", "@ann.smith", "#a:b", "#home- milk", "#home... so");
  expect(found(outline, "#v1")).toEqual(["#v1 a"]);
  expect(found(outline, "#v1.2")).toEqual(["#v1.2 b"]);
  expect(found(outline, "@ann")).toEqual([]);
  expect(found(outline, "#a")).toEqual([]);
  expect(found(outline, "#home")).toEqual(["#home- milk", "#home... so"]);
});

test("[L83] is:todo, is:complete, has:note and in:note ask what a node is and has", () => {
  const outline = planted("plain", ["noted", "a plain note"], "task", "done");
  const [, , task, done] = outline.childKeys(ROOT);
  if (task === undefined || done === undefined) throw new Error("not planted");
  outline.update(task, { layout: "todo" });
  outline.update(done, { layout: "todo", completed: true });
  expect(found(outline, "is:todo")).toEqual(["task", "done"]);
  expect(found(outline, "is:todo -is:complete")).toEqual(["task"]);
  expect(found(outline, "IS:COMPLETED")).toEqual(["done"]);
  expect(found(outline, "has:note")).toEqual(["noted"]);
  expect(found(outline, "plain")).toEqual(["plain", "noted"]);
  expect(found(outline, "in:note plain")).toEqual(["noted"]);
  expect(found(outline, "in:note")).toEqual(["noted"]);
  expect(found(outline, "is:funny")).toEqual([]);
});

test("[L84] changed and created take a time back from now, or a day, month or year in the timezone", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const add = (name: string, createdAt: string, modifiedAt = createdAt): void => {
    const seconds = (text: string): number => Date.parse(text) / 1000;
    outline.createPlain({
      parent: ROOT,
      position: "bottom",
      name: [{ insert: name }],
      createdAt: seconds(createdAt),
      modifiedAt: seconds(modifiedAt),
    });
  };
  add("old", "2025-12-31T22:30:00Z");
  add("new year", "2025-12-31T23:30:00Z");
  add("month", "2026-11-01T12:00:00Z", "2026-11-20T11:00:00Z");
  add("yesterday", "2026-11-19T12:00:00Z");
  expect(found(outline, "created:2025")).toEqual(["old"]);
  expect(found(outline, "created:2026")).toEqual(["new year", "month", "yesterday"]);
  expect(found(outline, "created:2026-11")).toEqual(["month", "yesterday"]);
  expect(found(outline, "created:2026-11-19")).toEqual(["yesterday"]);
  expect(found(outline, "created:yesterday")).toEqual(["yesterday"]);
  expect(found(outline, "changed:today")).toEqual(["month"]);
  expect(found(outline, "changed:2h")).toEqual(["month"]);
  expect(found(outline, "changed:1d")).toEqual(["month", "yesterday"]);
  expect(found(outline, "created:3w -created:1m")).toEqual([]);
  expect(found(outline, "created:1y")).toEqual(["old", "new year", "month", "yesterday"]);
  expect(found(outline, "created:2026-13 OR created:")).toEqual([]);
});

test("[L84] a day begins when it does where the person lives, wherever the machine is", () => {
  const { TZ } = process.env;
  try {
    // Whose clocks change within an hour of those of Greenland, where the day before has no last hour.
    process.env["TZ"] = "Europe/Berlin";
    const context = { nowMs: Date.parse("2026-03-29T12:00:00Z"), timezone: "America/Nuuk" };
    const { from = 0, to = 0 } = timeSpan("today", context) ?? {};
    expect([isoOf(from), isoOf(to)]).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T01:00:00.000Z",
    ]);
    // The clocks show midnight twice there.
    const havana = timeSpan("2026-11-01", { ...context, timezone: "America/Havana" });
    expect(isoOf(havana?.from ?? 0)).toBe("2026-11-01T04:00:00.000Z");
  } finally {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  }
});

test("[L84] a day that begins an hour late ends where the next one begins, and only years of four digits are years", () => {
  const span = (when: string, timezone: string): readonly string[] => {
    const found = timeSpan(when, { nowMs: Date.parse("2024-04-26T12:00:00Z"), timezone });
    return found === undefined ? [] : [found.from, found.to].map((at) => isoOf(at));
  };
  // Clocks go from 23:59 to 01:00 there.
  const cairo = ["2024-04-25T22:00:00.000Z", "2024-04-26T21:00:00.000Z"];
  expect(span("2024-04-26", "Africa/Cairo")).toEqual(cairo);
  expect(span("today", "Africa/Cairo")).toEqual(cairo);
  expect(span("2024-09-08", "America/Santiago")).toEqual([
    "2024-09-08T04:00:00.000Z",
    "2024-09-09T03:00:00.000Z",
  ]);
  expect(span("2024-12", "Asia/Beirut")).toEqual([
    "2024-11-30T22:00:00.000Z",
    "2024-12-31T22:00:00.000Z",
  ]);
  expect(span("0050", "Europe/Zurich")).toEqual([]);
  expect(span("2023-02-29", "Europe/Zurich")).toEqual([]);
});

test("[L85] only what is visible below a node is found, in document order, as it is now", () => {
  const outline = planted("a x", "b x", "c");
  const [a, b, c] = outline.childKeys(ROOT);
  if (!a || !b || !c) throw new Error("not planted");
  expect(found(outline, "x")).toEqual(["a x", "b x"]);
  outline.update(c, { name: "c x", note: "n" });
  expect(found(outline, "x")).toEqual(["a x", "b x", "c x"]);
  outline.move(a, { parent: c });
  expect(found(outline, "x")).toEqual(["b x", "c x", "a x"]);
  expect(found(outline, "x", c)).toEqual(["a x"]);
  outline.update(a, { name: "a" });
  expect(found(outline, "x")).toEqual(["b x", "c x"]);
  outline.trash(c, 0);
  expect(found(outline, "x")).toEqual(["b x"]);
  outline.update(b, { note: "z" });
  outline.restore(c);
  expect(found(outline, "x")).toEqual(["b x", "c x"]);
  expect(found(outline, "x", "123456789abc" as NodeKey)).toEqual([]);
});

test("[L86] what was read ahead is found as it is now", () => {
  const outline = planted("a x", "b", "c x");
  const [a, b, c] = outline.childKeys(ROOT);
  if (!a || !b || !c) throw new Error("not planted");
  const reading = prepareSearch(outline, ROOT, "texts");
  reading.next();
  outline.update(a, { name: "a" });
  outline.trash(c, 0);
  expect(reading.next().done).toBe(true);
  expect(found(outline, "x")).toEqual([]);
  outline.update(b, { note: "x" });
  outline.restore(c);
  expect(found(outline, "x")).toEqual(["b", "c x"]);
});

test("[L85] who types on finds what a new search finds", () => {
  const nodes = ["one two", "twofold one", ["on", "two tone"], ["#one", "@two"], "no one"] as const;
  const [typing, anew] = [planted(...nodes), planted(...nodes)];
  const random = seededRandom(7);
  const pieces = [..."onetw".split(""), " ", " -", " OR ", '"', " #one", " in:note", " has:note "];
  const counts: number[] = [];
  for (let round = 0; round < 200; round++) {
    let query = "";
    for (let length = 1 + integerBelow(random, 12); length > 0; length--) {
      query += oneOf(random, pieces);
      // Nothing is narrower than this, so all nodes are looked at again.
      found(anew, "is:complete");
      expect(found(typing, query), query).toEqual(found(anew, query));
      counts.push(found(typing, query).length);
    }
  }
  expect(new Set(counts).size).toBeGreaterThan(3);
});

test("[L85] what has changed since the last search is looked at again", () => {
  const outline = planted("one", "two");
  const [, two] = outline.childKeys(ROOT);
  if (!two) throw new Error("not planted");
  expect(found(outline, "on")).toEqual(["one"]);
  outline.update(two, { name: "one too" });
  expect(found(outline, "one")).toEqual(["one", "one too"]);
  expect(found(outline, "one too", two)).toEqual([]);
  expect(found(outline, "one", ROOT, 1)).toEqual(["one"]);
  expect(found(outline, "one t")).toEqual(["one too"]);
});

test("[L86] a search of a large outline reads each text once, and then does little for each", async () => {
  const NODES = 4_000;
  const outline = soloOutline();
  outline.doc.transact(() => {
    for (let index = 0; index < NODES; index++) {
      const name = `line ${index} of a long outline about many things`;
      outline.createPlain({ parent: ROOT, position: "bottom", name: [{ insert: name }] });
    }
  });
  const callsForEach = async (query: string): Promise<number> => {
    const calls = await callsOf(() => expect(found(outline, query).length).toBeLessThan(10));
    return Math.round(calls / NODES);
  };
  expect(await callsForEach("nowhere")).toBeLessThan(40);
  expect(await callsForEach("zuric")).toBeLessThan(10);
  // What was found is all that a letter more is looked for in.
  expect(await callsForEach("zurich")).toBe(0);
});

test("[L81] what stands twice on either side of OR is one", () => {
  const context = { nowMs: 1_700_000_000_000, timezone: "UTC" };
  const groupsOf = (text: string) => parseQuery(text, context).groups.map(({ length }) => length);
  expect(
    groupsOf("is:todo OR is:todo OR a OR A OR -a OR #a OR #A OR changed:1d OR changed:1d"),
  ).toEqual([5]);
  expect(groupsOf("a a")).toEqual([1, 1]);
});

test("[L80] a text has the letter pairs of each of its parts", () => {
  const random = seededRandom(4);
  const letters = Array.from("abcdeé한σ😀 #/");
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: integerBelow(random, 30) }, () =>
      oneOf(random, letters),
    ).join("");
    const from = integerBelow(random, text.length + 1);
    const [whole, part] = [
      pairsOf(text),
      pairsOf(text.slice(from, from + integerBelow(random, 9))),
    ];
    expect([whole.low & part.low, whole.high & part.high]).toEqual([part.low, part.high]);
  }
  expect(pairsOf("a")).toEqual({ low: 0, high: 0 });
});
