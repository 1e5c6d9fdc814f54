import { expect, test } from "vitest";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { findMatches } from "../../../src/core/search/find-matches.ts";
import { foldText } from "../../../src/core/search/fold-text.ts";
import { pairsOf } from "../../../src/core/search/letter-pairs.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import type { Query } from "../../../src/core/search/query.ts";
import { SearchIndex } from "../../../src/core/search/search-index.ts";
import { spansIn } from "../../../src/core/search/spans.ts";
import { soloOutline } from "../../support/lab.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

function parsed(text: string): Query {
  return parseQuery(text, { nowMs: 1_700_000_000_000, timezone: "UTC" });
}

/** All that is found, and how long each step took in milliseconds of processor time. */
function foundIn(outline: Outline, text: string, limit = Infinity) {
  const request = { query: parsed(text), from: ROOT, limit, order: { kind: "document" } as const };
  const work = findMatches(SearchIndex.of(outline), { ...request, isCounted: false });
  const steps: number[] = [];
  for (;;) {
    const start = process.cpuUsage();
    const { done, value } = work.next();
    const { user, system } = process.cpuUsage(start);
    steps.push((user + system) / 1000);
    if (done !== true) continue;
    if (typeof value === "string") throw new Error(value);
    return { keys: value.matches.map(({ key }) => key), steps };
  }
}

test("[U1, U8] whatever is added, moved, changed and deleted, the order is that of the outline", () => {
  const random = seededRandom(11);
  const outline = soloOutline();
  const keys: NodeKey[] = [];
  const place = () => (keys.length === 0 || random() < 0.2 ? ROOT : oneOf(random, keys));
  for (let round = 0; round < 400; round++) {
    const key = keys.length === 0 ? undefined : oneOf(random, keys);
    const roll = random();
    if (roll < 0.5 || key === undefined) {
      const name = [{ insert: random() < 0.5 ? "x" : "y" }];
      const parent = place();
      if (parent === ROOT || outline.has(parent)) {
        keys.push(
          outline.createPlain({ parent, position: random() < 0.5 ? "top" : "bottom", name }),
        );
      }
    } else if (roll < 0.7) outline.move(key, { parent: place(), position: "top" });
    else if (roll < 0.8) outline.update(key, { name: random() < 0.5 ? "x" : "y" });
    else if (roll < 0.9) outline.trash(key, 0);
    else outline.restore(key);
    if (round % 7 === 0) SearchIndex.of(outline).clear();
    const wanted = [...outline.keysInOrder()].filter((each) => outline.node(each)?.name === "x");
    expect(foundIn(outline, "x").keys).toEqual(wanted);
  }
});

test("[U8] 100,000 nodes are searched in short steps, the first time too", () => {
  const outline = soloOutline();
  outline.doc.transact(() => {
    for (let index = 0; index < 100_000; index++) {
      const name = [{ insert: `line ${index} of a long outline about many things` }];
      outline.createPlain({ parent: ROOT, position: "bottom", name });
    }
  });
  const cold = foundIn(outline, "nowhere").steps.toSorted((one, other) => one - other);
  expect(cold.length).toBeGreaterThan(500);
  expect(cold[Math.floor(cold.length * 0.98)]).toBeLessThan(10);
  const warm = foundIn(outline, "elsewhere").steps;
  const inAll = warm.reduce((sum, ms) => sum + ms, 0);
  // 4 ms by itself; the machine may be busy.
  expect(inAll).toBeLessThan(60);
});

test("[U5] a range holds whole letters, and what they say is what was looked for", () => {
  const shown = (text: string, query: string) =>
    spansIn(text, parsed(query)).map(([from, to]) => text.slice(from, to));
  expect(shown("CAFE\u0301 au café", "cafe")).toEqual(["CAFE\u0301", "café"]);
  expect(shown("ΟΔΟΣ οδός", "οδος")).toEqual(["ΟΔΟΣ", "οδός"]);
  expect(shown("x 한국어 y", "한국")).toEqual(["한국"]);
  expect(shown("İstanbul", "ist")).toEqual(["İst"]);
  expect(shown("aaaa", "a")).toEqual(["aaaa"]);
  expect(shown("one two", "two OR one -three")).toEqual(["one", "two"]);
  expect(shown("one two", "-one")).toEqual([]);
  expect(shown("#homework #home.", "#home")).toEqual(["#home"]);
  expect(shown("😀 x", "x")).toEqual(["x"]);
  expect(spansIn("x y ".repeat(500), parsed("x"))).toHaveLength(100);
  expect(spansIn("abc", parsed("\u0301"))).toEqual([]);
});

test("[U5] folding letter by letter comes to the folded text", () => {
  const random = seededRandom(2);
  const letters = [...Array.from("aZéÉßẞΣςσİıﬁ한국각😀𝒳"), "\u0301", "\u0345", " ", "Ǆ", "ŉ"];
  for (let round = 0; round < 2000; round++) {
    const length = 1 + integerBelow(random, 8);
    const text = Array.from({ length }, () => oneOf(random, letters)).join("");
    const folded = Array.from(text, (letter) => foldText(letter)).join("");
    expect(folded).toBe(foldText(text));
    const word = foldText(oneOf(random, letters));
    const query = {
      groups: [[{ criterion: { kind: "text", text: word, pairs: pairsOf(word) }, isNot: false }]],
      inNotes: false,
    } as const;
    const spans = spansIn(text, query);
    if (word !== "") expect(spans.length > 0).toBe(folded.includes(word));
    for (const [from, to] of spans) expect(foldText(text.slice(from, to))).toContain(word);
  }
});
