import { expect, test } from "vitest";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { dueSpan } from "../../../src/core/search/due-span.ts";
import { findMatches } from "../../../src/core/search/find-matches.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { type Query, termsOf } from "../../../src/core/search/query.ts";
import { warningsOf } from "../../../src/core/search/query-warnings.ts";
import { SearchIndex } from "../../../src/core/search/search-index.ts";
import { searchOutline } from "../../../src/core/search/search-outline.ts";
import { soloOutline } from "../../support/lab.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

/** A Friday, in the evening of Zürich and of UTC. */
const NOW_MS = Date.parse("2026-11-20T20:00:00Z");

function parsed(text: string): Query {
  return parseQuery(text, { nowMs: NOW_MS, timezone: "Europe/Zurich" });
}

function found(outline: Outline, text: string, from: NodeKey = ROOT): readonly string[] {
  const { matches } = searchOutline(outline, parsed(text), from);
  return matches.map(({ key }) => namesOf(outline, key));
}

function namesOf(outline: Outline, key: NodeKey): string {
  return outline
    .richText(key, "name")
    .map(({ insert }) => insert)
    .join("");
}

/** All that the search in steps finds, a page of one at a time. */
function foundInPages(outline: Outline, text: string, from: NodeKey = ROOT): readonly string[] {
  const names: string[] = [];
  let behind: NodeKey | undefined;
  for (;;) {
    const order = { kind: "document", ...(behind && { behind }) } as const;
    const request = { query: parsed(text), from, limit: 1, order, isCounted: false };
    const work = findMatches(SearchIndex.of(outline), request);
    let step = work.next();
    while (step.done !== true) step = work.next();
    if (typeof step.value === "string") throw new Error(step.value);
    behind = step.value.matches[0]?.key;
    if (behind !== undefined) names.push(namesOf(outline, behind));
    if (!step.value.hasMore) return names;
  }
}

function add(outline: Outline, name: string, parent: NodeKey = ROOT, note?: string): NodeKey {
  const made = outline.create({ parent, position: "bottom", name, ...(note && { note }) });
  if (made.kind !== "created") throw new Error(made.kind);
  return made.key;
}

test("[L120] `A > B` finds what is below something that A finds, however deep", () => {
  const outline = soloOutline();
  const work = add(outline, "work");
  const launch = add(outline, "launch", work);
  add(outline, "call ann", launch);
  const home = add(outline, "home");
  add(outline, "call bob about work", home);
  expect(found(outline, "work > call")).toEqual(["call ann"]);
  expect(found(outline, "work > launch > call")).toEqual(["call ann"]);
  expect(found(outline, "launch > work")).toEqual([]);
  expect(found(outline, "work OR home > call")).toEqual(["call ann", "call bob about work"]);
  expect(found(outline, "-work > call")).toEqual(["call ann", "call bob about work"]);
  expect(found(outline, "work > -call")).toEqual(["launch"]);
  expect(foundInPages(outline, "work > call")).toEqual(["call ann"]);
});

test("[L120] what is looked into counts among what is above, and nothing above that", () => {
  const outline = soloOutline();
  const work = add(outline, "work");
  const launch = add(outline, "launch", work);
  add(outline, "call ann", launch);
  expect(found(outline, "launch > call", launch)).toEqual(["call ann"]);
  expect(found(outline, "work > call", launch)).toEqual([]);
  expect(foundInPages(outline, "work > call", launch)).toEqual([]);
  expect(foundInPages(outline, "launch > launch", launch)).toEqual([]);
});

test("[L120] a `>` that nothing stands before is a word, one at the end is not finished yet", () => {
  const outline = soloOutline();
  add(outline, "5 > 3", add(outline, "sums"));
  expect(found(outline, "> 3")).toEqual(["5 > 3"]);
  expect(found(outline, "sums >")).toEqual(["sums"]);
  expect(found(outline, 'sums > ">"')).toEqual(["5 > 3"]);
  expect(found(outline, "5>3")).toEqual([]);
  expect(termsOf(parsed("a b > c OR d > e"))).toBe(5);
});

test("[L120] a search that goes on with each letter finds what it would find at once", () => {
  const random = seededRandom(20);
  const words = ["ab", "abc", "b", "-a", "is:todo", "OR", ">", ">", "c"];
  const outline = soloOutline();
  const keys: NodeKey[] = [ROOT];
  for (let made = 0; made < 120; made++) {
    keys.push(add(outline, oneOf(random, ["a", "ab", "abc", "b c"]), oneOf(random, keys)));
  }
  let isFilled = 0;
  for (let round = 0; round < 150; round++) {
    const text = Array.from({ length: 1 + integerBelow(random, 6) }, () => oneOf(random, words));
    const typed = text.join(" ");
    const from = random() < 0.5 ? ROOT : oneOf(random, keys);
    let last: readonly string[] = [];
    for (let end = 1; end <= typed.length; end++) last = found(outline, typed.slice(0, end), from);
    // Another search in between is what it would be narrowed from.
    found(outline, "nothing like it", from);
    expect([typed, found(outline, typed, from)]).toEqual([typed, last]);
    const inSteps = foundInPages(outline, typed, from);
    const own = from === ROOT ? [] : inSteps.slice(0, inSteps.length - last.length);
    expect([typed, inSteps]).toEqual([typed, [...own, ...last]]);
    if (last.length > 0) isFilled += 1;
  }
  expect(isFilled).toBeGreaterThan(30);
});

/** Whether the last of some lines, each below the one before it, is what `A > B > …` means. */
function isMeant(way: readonly string[], parts: readonly string[]): boolean {
  const above = parts.slice(0, -1);
  if (way.at(-1)?.includes(parts.at(-1) ?? "") !== true) return false;
  return above.length === 0 || way.some((_, end) => end > 0 && isMeant(way.slice(0, end), above));
}

test("[L120] of `A > B > …` each is anywhere above the next, in whatever order lines are nested", () => {
  const random = seededRandom(5);
  const outline = soloOutline();
  const ways = new Map<NodeKey, readonly string[]>([[ROOT, []]]);
  for (let made = 0; made < 150; made++) {
    const parent = oneOf(random, [...ways.keys()]);
    const name = oneOf(random, ["a", "ab", "abc", "b", "c"]);
    ways.set(add(outline, name, parent), [...(ways.get(parent) ?? []), name]);
  }
  let isFilled = 0;
  for (let round = 0; round < 200; round++) {
    const parts = Array.from({ length: 1 + integerBelow(random, 4) }, () =>
      oneOf(random, ["a", "b", "c", "ab"]),
    );
    const from = random() < 0.5 ? ROOT : oneOf(random, [...ways.keys()]);
    const skipped = Math.max(0, (ways.get(from)?.length ?? 0) - 1);
    const wanted = [...ways]
      .filter(([key]) => key !== ROOT && key !== from && outline.contains(from, key))
      .filter(([, way]) => isMeant(way.slice(from === ROOT ? 0 : skipped), parts));
    const names = found(outline, parts.join(" > "), from);
    expect([parts, names.toSorted()]).toEqual([
      parts,
      wanted.map(([, way]) => way.at(-1) ?? "").toSorted(),
    ]);
    if (names.length > 0 && parts.length > 2) isFilled += 1;
  }
  expect(isFilled).toBeGreaterThan(20);
});

test("[L121] `due:` asks for the dates in name and note, from today on or as said", () => {
  const outline = soloOutline();
  const date = (day: number, rest = "") =>
    `<time startYear="2026" startMonth="11" startDay="${day}"${rest}>x</time>`;
  add(outline, `past ${date(19)}`);
  add(outline, `now ${date(20, ' startHour="23" startMinute="30"')}`);
  add(outline, "noted", ROOT, `on ${date(21)}`);
  add(outline, `week ${date(27)}`);
  add(outline, `later ${date(28)}`);
  add(outline, "never, not on 2026-11-20");
  const firstWords = (text: string) => found(outline, text).map((name) => name.split(/[ ,]/)[0]);
  expect(firstWords("due:today")).toEqual(["now"]);
  expect(firstWords("due:tomorrow")).toEqual(["noted"]);
  expect(firstWords("due:yesterday")).toEqual(["past"]);
  expect(firstWords("due:overdue")).toEqual(["past"]);
  expect(firstWords("due:1d")).toEqual(["now", "noted"]);
  expect(firstWords("due:1w")).toEqual(["now", "noted", "week"]);
  expect(firstWords("due:1m")).toEqual(["now", "noted", "week", "later"]);
  expect(firstWords("due:1y")).toEqual(firstWords("due:1m"));
  expect(firstWords("due:2026-11-28")).toEqual(["later"]);
  expect(firstWords("due:2026-11")).toHaveLength(5);
  expect(firstWords("due:2026")).toHaveLength(5);
  expect(firstWords("due:2027")).toEqual([]);
  expect(firstWords("has:date")).toHaveLength(5);
  expect(firstWords("-has:date")).toEqual(["never"]);
  expect(firstWords("due:sometime")).toEqual([]);
});

test("[L121] today is the day where the person lives", () => {
  const outline = soloOutline();
  add(outline, '<time startYear="2026" startMonth="11" startDay="21">x</time>');
  const query = parseQuery("due:today", { nowMs: NOW_MS, timezone: "Asia/Tokyo" });
  expect(searchOutline(outline, query, ROOT).matches).toHaveLength(1);
  expect(found(outline, "due:today")).toEqual([]);
});

test("[L121] the day after is the next one, though it has no such hour", () => {
  // In Greenland no clock shows from 23:00 to midnight on 28 March 2026.
  const dueFrom = (when: string, now: string): unknown =>
    dueSpan(when, { nowMs: Date.parse(now), timezone: "America/Nuuk" })?.from;
  expect(dueFrom("tomorrow", "2026-03-27T23:30:00-02:00")).toBe("2026-03-28");
  expect(dueFrom("yesterday", "2026-03-29T23:30:00-01:00")).toBe("2026-03-28");
});

test("[L122] colours and links are asked for, whether of letters or of what is behind them", () => {
  const outline = soloOutline();
  add(outline, '<span class="colored c-red">letters</span>');
  add(outline, '<mark class="colored bc-red">behind</mark>');
  add(outline, "<mark>bare</mark>");
  add(outline, "red");
  add(outline, "[named](https://example.com)");
  add(outline, "written http://example.com");
  expect(found(outline, "colour:red")).toEqual(["letters", "behind"]);
  expect(found(outline, "color:RED")).toEqual(["letters", "behind"]);
  expect(found(outline, "colour:blue")).toEqual([]);
  expect(found(outline, "has:colour")).toEqual(["letters", "behind", "bare"]);
  expect(found(outline, "has:color -bare")).toEqual(["letters", "behind"]);
  expect(found(outline, "has:link")).toEqual(["named", "written http://example.com"]);
  expect(found(outline, "colour:nice")).toEqual([]);
});

test("[L123] `backlinks:` finds what links to a node, by short id, full id or address", () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  add(outline, `see [it](#/${target})`);
  add(outline, "noted", ROOT, `<a href="#/${target}">there</a>`);
  add(outline, `no link: ${target}`);
  const links = ["see it", "noted"];
  expect(found(outline, `backlinks:${target}`)).toEqual(links);
  expect(found(outline, `backlinks:https://example.com/#/${target}?q=x`)).toEqual(links);
  expect(found(outline, `backlinks:${outline.id.slice(0, 8)}-0000-0000-0000-${target}`)).toEqual(
    links,
  );
  expect(found(outline, `backlinks:${target} has:note`)).toEqual(["noted"]);
  expect(found(outline, "backlinks:000000000abc")).toEqual([]);
});

test("[L121, L122, L123] what changes is found as it is then", () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  const other = add(outline, "plain");
  const asked = ["has:link", `backlinks:${target}`, "due:2026", "colour:red"];
  expect(asked.map((text) => found(outline, text))).toEqual([[], [], [], []]);
  outline.update(other, {
    name:
      `[a](#/${target}) <time startYear="2026" startMonth="1" startDay="2">b</time> ` +
      '<span class="colored c-red">c</span>',
  });
  expect(asked.map((text) => found(outline, text).length)).toEqual([1, 1, 1, 1]);
  outline.update(other, { name: "plain again" });
  expect(asked.map((text) => found(outline, text))).toEqual([[], [], [], []]);
});

test("[L130] what looks like an operator and is looked for as a word is told, with what to write", () => {
  const warned = (text: string) =>
    warningsOf(text, { nowMs: NOW_MS, timezone: "Europe/Zurich" }).map(({ message }) => message);
  expect(warned("is:open")).toEqual([
    "“is:open” is looked for as a word: is: takes todo or complete.",
  ]);
  expect(warned("milk -Due:Thursday due:2026-13")).toEqual([
    expect.stringMatching(/^“Due:Thursday” .+: due: takes today, .+2026-11-20/),
    expect.stringMatching(/^“due:2026-13” /),
  ]);
  expect(warned("changed:1x created:soon colour:grey has:tag in:name backlinks:home")).toHaveLength(
    6,
  );
  expect(warned("type:todo")).toEqual([
    expect.stringMatching(
      /^“type:todo” .+ there is no operator type:, only is: has: .+ backlinks:\.$/,
    ),
  ]);
  expect(warned("a AND NOT b")).toEqual([
    "“AND” is looked for as a word: all words have to be there anyway.",
    "“NOT” is looked for as a word: a minus before a word leaves it out, as in -word.",
  ]);
  const understood =
    'is:todo IS:Complete has:date in:note due:overdue -due:7d changed:2h colour:red backlinks:8b1e42d07a9f #a:b and not OR > "due:thursday" due:';
  expect(warned(`${understood} https://example.org/a:b 12:30 a:// mailto: constructor`)).toEqual(
    [],
  );
  expect(warned("due:x due:x")).toHaveLength(1);
});
