import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { RenderedNodes } from "../../../src/http/answer/rendered-nodes.ts";
import { seededRandom } from "../../support/seeded-random.ts";

interface Fixture {
  readonly outline: Outline;
  readonly rendered: RenderedNodes;
  /** A new node with a name of so many characters. */
  readonly add: (length: number) => NodeKey;
  /** Whether a node, once shown, is still there the next time. */
  readonly keeps: (key: NodeKey) => boolean;
}

/** Fixtures of one test are let go of before the next: what is kept is counted over all. */
const docs: Y.Doc[] = [];
afterEach(() => {
  for (const doc of docs.splice(0)) doc.destroy();
});

function fixture(): Fixture {
  const random = seededRandom(3);
  const doc = new Y.Doc();
  docs.push(doc);
  const outline = Outline.attach(doc, {
    id: newOutlineId(random),
    now: () => 1_700_000_000_000,
    random,
  });
  const rendered = RenderedNodes.of(outline);
  return {
    outline,
    rendered,
    add: (length) => outline.createPlain({ parent: ROOT, name: [{ insert: "x".repeat(length) }] }),
    keeps: (key) => rendered.get(key) === rendered.get(key),
  };
}

test("[E45] a node is kept until it changes, and a very long one is not", () => {
  const { outline, rendered, add, keeps } = fixture();
  const key = add(10_000);
  expect(keeps(key)).toBe(true);
  const before = rendered.get(key);
  outline.update(key, { name: "other" });
  expect(before?.before.length).toBeGreaterThan(10_000);
  expect(rendered.get(key)?.before).toContain('"other"');
  const long = add(64 * 1024);
  expect(keeps(long)).toBe(false);
  expect(rendered.get(long)?.before).toContain("x".repeat(64 * 1024));
});

test("[E45] no more than so many bytes of an outline are kept, and changes free theirs", () => {
  const { outline, rendered, add, keeps } = fixture();
  // 209 of them are 8 Mi.
  const keys = Array.from({ length: 205 }, () => add(40_000));
  const first = keys.map((key) => rendered.get(key));
  expect(keys.map((key) => rendered.get(key)).every((node, at) => node === first[at])).toBe(true);
  for (const key of keys.slice(0, 100)) outline.update(key, { name: "short" });
  const others = Array.from({ length: 95 }, () => add(40_000));
  for (const key of others) rendered.get(key);
  expect(rendered.get(keys.at(-1) ?? ROOT)).toBe(first.at(-1));
  for (let count = 0; count < 20; count += 1) rendered.get(add(40_000));
  expect(rendered.get(keys.at(-1) ?? ROOT)).not.toBe(first.at(-1));
  expect(keeps(keys.at(-1) ?? ROOT)).toBe(true);
});

/** Has nearly 8 MiB of a fixture kept: each node is 40,000 characters. */
function filled({ outline, rendered, add }: Fixture) {
  const key = add(40_000);
  const first = rendered.get(key);
  for (let count = 0; count < 204; count += 1) rendered.get(add(40_000));
  return { outline, isKept: () => rendered.get(key) === first };
}

test("[E45, Q16] all outlines together keep so many bytes, those that kept more last", () => {
  const outlines = Array.from({ length: 5 }, () => filled(fixture()));
  expect(outlines.map(({ isKept }) => isKept())).toEqual([false, true, true, true, true]);
});

test("[Q16] an outline that has left the memory counts no more", () => {
  const [first, ...others] = Array.from({ length: 4 }, () => filled(fixture()));
  for (const { outline } of others) outline.doc.destroy();
  for (let count = 0; count < 3; count += 1) filled(fixture());
  expect(first?.isKept()).toBe(true);
});
