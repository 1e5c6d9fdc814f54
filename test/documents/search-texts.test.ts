import { expect, test } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { findMatches } from "../../src/core/search/find-matches.ts";
import { parseQuery } from "../../src/core/search/parse-query.ts";
import { SearchTexts } from "../../src/documents/memory/search-texts.ts";
import { soloOutline } from "../support/lab.ts";

const TEXT_BYTES = 2 * 1000;

function outlineOf(nodes: number): Outline {
  const outline = soloOutline();
  for (let made = 0; made < nodes; made++) {
    const insert = `${made} x`.padEnd(1000, "y");
    outline.createPlain({ parent: ROOT, position: "bottom", name: [{ insert }] });
  }
  return outline;
}

/** How many nodes are found; calls `step` between any two steps. */
function found(texts: SearchTexts, outline: Outline, step = (): void => undefined): number {
  const query = parseQuery("x", { nowMs: outline.now(), timezone: "UTC" });
  const order = { kind: "document" } as const;
  const request = { query, from: ROOT, limit: 1e6, order, isCounted: false };
  const work = findMatches(texts.of(outline), request);
  for (;;) {
    const { done, value } = work.next();
    texts.settle();
    step();
    if (done !== true) continue;
    if (typeof value === "string") throw new Error(value);
    return value.matches.length;
  }
}

test("[U9, Q76] the texts of the outline searched longest ago go first, and those of all on demand", () => {
  let kept = 0;
  const texts = new SearchTexts({ maxBytes: 250 * TEXT_BYTES, share: { set: (n) => (kept = n) } });
  const [one, two, three] = [outlineOf(100), outlineOf(100), outlineOf(100)];
  for (const outline of [one, two, one, three]) expect(found(texts, outline)).toBe(100);
  expect([one, two, three].map((outline) => texts.of(outline).bytes > 0)).toEqual([
    true,
    false,
    true,
  ]);
  expect(kept).toBeGreaterThan(200 * TEXT_BYTES);
  expect(kept).toBeLessThanOrEqual(250 * TEXT_BYTES);
  const before = kept;
  expect(texts.clear()).toBe(before);
  expect(kept).toBe(0);
  expect([one, two, three].map((outline) => found(texts, outline))).toEqual([100, 100, 100]);
});

test("[U9] an outline that is too large to be kept is searched all the same", () => {
  let most = 0;
  const share = { set: (bytes: number) => (most = Math.max(most, bytes)) };
  const texts = new SearchTexts({ maxBytes: 50 * TEXT_BYTES, share });
  const outline = outlineOf(1000);
  expect(found(texts, outline)).toBe(1000);
  expect(found(texts, outline)).toBe(1000);
  expect(most).toBeLessThanOrEqual(50 * TEXT_BYTES);
});

test("[U9] texts that go while somebody searches are read anew, also what changes then", () => {
  const texts = new SearchTexts({ maxBytes: 1e9, share: { set: () => undefined } });
  const outline = outlineOf(1000);
  expect(found(texts, outline)).toBe(1000);
  const last = outline.childKeys(ROOT).at(-1) ?? ROOT;
  let steps = 0;
  const count = found(texts, outline, () => {
    steps += 1;
    if (steps === 2) texts.clear();
    if (steps === 3) outline.update(last, { name: "z" });
  });
  expect(steps).toBeGreaterThan(3);
  expect(count).toBe(999);
});

test("[U9, Q76] what an outline has goes with it", () => {
  let kept = 0;
  const texts = new SearchTexts({ maxBytes: 1e9, share: { set: (bytes) => (kept = bytes) } });
  const outline = outlineOf(10);
  found(texts, outline);
  expect(kept).toBeGreaterThan(10 * TEXT_BYTES);
  outline.doc.destroy();
  expect(kept).toBe(0);
});
