import { expect, onTestFinished, test, vi } from "vitest";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { findMatches, type MatchRequest } from "../../../src/core/search/find-matches.ts";
import { foldText } from "../../../src/core/search/fold-text.ts";
import { Matcher } from "../../../src/core/search/matcher.ts";
import { parseQuery, termFor } from "../../../src/core/search/parse-query.ts";
import type { Query } from "../../../src/core/search/query.ts";
import { SearchIndex } from "../../../src/core/search/search-index.ts";
import { spansIn, spansInSteps } from "../../../src/core/search/spans.ts";
import { callsOf } from "../../support/calls-of.ts";
import { soloOutline } from "../../support/lab.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

function parsed(text: string): Query {
  return parseQuery(text, { nowMs: 1_700_000_000_000, timezone: "UTC" });
}

/** All that is found. */
function foundIn(outline: Outline, text: string): readonly NodeKey[] {
  const found = inOneGo(findMatches(SearchIndex.of(outline), requestOf(text)));
  if (typeof found === "string") throw new Error(found);
  return found.matches.map(({ key }) => key);
}

function requestOf(text: string): MatchRequest {
  const order = { kind: "document" } as const;
  return { query: parsed(text), from: ROOT, limit: Infinity, order, isCounted: false };
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
    expect(foundIn(outline, "x")).toEqual(wanted);
  }
});

test("[U1] what is deleted and restored between two searches is found by what it says later", () => {
  const outline = soloOutline();
  const key = outline.createPlain({ parent: ROOT, name: [{ insert: "milk" }] });
  expect(foundIn(outline, "milk")).toEqual([key]);
  outline.trash(key, 0);
  outline.restore(key);
  expect(foundIn(outline, "milk")).toEqual([key]);
  outline.update(key, { name: "bread" });
  expect([foundIn(outline, "milk"), foundIn(outline, "bread")]).toEqual([[], [key]]);
});

test("[U8] many nodes are searched in short steps, the first time too", async () => {
  const NODES = 5_000;
  const outline = soloOutline();
  outline.doc.transact(() => {
    for (let index = 0; index < NODES; index++) {
      const name = [{ insert: `line ${index} of a long outline about many things` }];
      outline.createPlain({ parent: ROOT, position: "bottom", name });
    }
  });
  const index = SearchIndex.of(outline);
  const look = vi.spyOn(Matcher.prototype, "look");
  onTestFinished(() => look.mockRestore());
  /** What the longest step does: nodes that it compares, and bytes that it comes to keep. */
  const search = (text: string) => {
    const work = findMatches(index, requestOf(text));
    let [steps, compared, kept] = [0, 0, 0];
    for (let isDone = false; !isDone; steps += 1) {
      const bytes = index.bytes;
      look.mockClear();
      isDone = work.next().done === true;
      compared = Math.max(compared, look.mock.calls.length);
      kept = Math.max(kept, index.bytes - bytes);
    }
    return { steps, compared, kept };
  };
  const cold = search("nowhere");
  const warm = search("elsewhere");
  expect(cold.steps).toBeGreaterThan(NODES / 50);
  expect(cold.compared).toBeLessThan(50);
  // Of a thousand nodes that are put in their order.
  expect(cold.kept).toBeLessThan(250_000);
  expect(warm.steps).toBeGreaterThan(NODES / 1_000);
  expect([warm.compared < 1_000, warm.kept]).toEqual([true, 0]);
  expect(await callsOf(() => search("elsewhere"))).toBeLessThan(20 * NODES);
});

test("[U8] a long text is folded and looked through in parts, each a step", () => {
  const outline = soloOutline();
  const key = outline.createPlain({
    parent: ROOT,
    name: [{ insert: `${"É".repeat(200_000)} end` }],
  });
  const index = SearchIndex.of(outline);
  let longest = 0;
  const watched = (["normalize", "includes", "indexOf"] as const).map((method) =>
    vi.spyOn(String.prototype, method),
  );
  onTestFinished(() => watched.forEach((spy) => spy.mockRestore()));
  /** What was found, and how often others had their turn. */
  const search = (text: string, between: () => void = () => undefined) => {
    for (const spy of watched) spy.mockClear();
    const work = findMatches(index, requestOf(text));
    let steps = 0;
    for (;;) {
      const step = work.next();
      for (const spy of watched)
        for (const each of spy.mock.contexts) longest = Math.max(longest, String(each).length);
      if (step.done === true)
        return [
          typeof step.value === "string" ? [] : step.value.matches.map((one) => one.key),
          steps,
        ];
      if (steps === 5) between();
      steps += 1;
    }
  };
  const [first, cold] = search("end -#a -éb");
  expect([first, Number(cold) > 30]).toEqual([[key], true]);
  expect(search('éé OR "bb" #a')[0]).toEqual([]);
  // What it says when it is looked at is what it is asked for; what it says now, the next time.
  outline.update(key, { name: `${"É".repeat(200_000)} other` });
  expect(search("other", () => outline.update(key, { name: "short" }))[0]).toEqual([key]);
  expect(search("other")[0]).toEqual([]);
  expect(search("short")[0]).toEqual([key]);
  // What is read while all is let go is not kept.
  outline.update(key, { name: `${"É".repeat(200_000)} other` });
  expect(search("other", () => index.clear())[0]).toEqual([key]);
  expect(index.bytes).toBe(0);
  expect(longest).toBeLessThan(20_000);
});

test("[U5, U8] ranges of a long text are found in parts, each a step", () => {
  const text = `${"a".repeat(16_383)}😀 ${"é".normalize("NFD").repeat(20_000)}한 Wort wort ${"x".repeat(90_000)}`;
  const steps = [];
  const work = spansInSteps(text, parsed("wort OR 😀 OR #tag"));
  let step = work.next();
  for (; step.done !== true; step = work.next()) steps.push(step);
  expect(step.value.map(([from, to]) => text.slice(from, to))).toEqual(["😀", "Wort", "wort"]);
  expect(steps.length).toBeGreaterThan(text.length / 10_000);
});

test("[U5] a range holds whole letters, and what they say is what was looked for", () => {
  const shown = (text: string, query: string) =>
    spansIn(text, parsed(query)).map(([from, to]) => text.slice(from, to));
  expect(shown("CAFE\u0301 au café", "cafe")).toEqual(["CAFE\u0301", "café"]);
  expect(shown("ΟΔΟΣ οδός", "οδος")).toEqual(["ΟΔΟΣ", "οδός"]);
  expect(shown("x 한국어 y", "한국")).toEqual(["한국"]);
  expect(shown("İstanbul", "ist")).toEqual(["İst"]);
  expect(shown("Grüße ﬁn", "grusse fi")).toEqual(["Grüße", "ﬁ"]);
  expect(shown("aaaa", "a")).toEqual(["aaaa"]);
  expect(shown("one two", "two OR one -three")).toEqual(["one", "two"]);
  expect(shown("one two", "-one")).toEqual([]);
  expect(shown("#homework #home.", "#home")).toEqual(["#home"]);
  expect(shown("😀 x", "x")).toEqual(["x"]);
  expect(spansIn("x y ".repeat(500), parsed("x"))).toHaveLength(100);
  expect(spansIn("abc", parsed("\u0301"))).toEqual([]);
});

test("[L80] [U5] no number of accents behind a letter is put in an order", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  onTestFinished(() => normalize.mockRestore());
  const marks = "\u0301".repeat(1_000) + "\u0316".repeat(1_000);
  const text = `a${marks}${"각".repeat(1_000)}`;
  expect(foldText(text)).toBe(foldText("a" + "각".repeat(1_000)));
  expect(spansIn(text, parsed("a"))).toEqual([[0, 1 + marks.length]]);
  expect(normalize.mock.contexts.filter((each) => /\p{M}{2}/u.test(String(each)))).toEqual([]);
});

test("[U5] folding letter by letter comes to the folded text", () => {
  const random = seededRandom(2);
  const letters = [
    ...Array.from("aZéÉßẞΣςσİıﬁ한국각😀𝒳æÆŁ’“Ａａｶﾞ‑\u00a0\u00ad"),
    "\u0301",
    "\u0345",
    " ",
    "Ǆ",
    "ŉ",
  ];
  for (let round = 0; round < 2000; round++) {
    const length = 1 + integerBelow(random, 8);
    const text = Array.from({ length }, () => oneOf(random, letters)).join("");
    const folded = Array.from(text, (letter) => foldText(letter)).join("");
    expect(folded).toBe(foldText(text));
    const word = foldText(oneOf(random, letters));
    const query = {
      groups: [[termFor({ kind: "text", text: word }, false)]],
      inNotes: false,
    } as const;
    const spans = spansIn(text, query);
    if (word !== "") expect(spans.length > 0).toBe(folded.includes(word));
    for (const [from, to] of spans) expect(foldText(text.slice(from, to))).toContain(word);
  }
});
