import { expect, onTestFinished, test, vi } from "vitest";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { followName, linkTextOf, linkTextOfNode } from "../../../src/core/link-names.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { SearchIndex } from "../../../src/core/search/search-index.ts";
import { nodeOfHref } from "../../../src/core/text/node-link.ts";
import { callsOf } from "../../support/calls-of.ts";
import { soloOutline } from "../../support/lab.ts";
import { oneOf, seededRandom } from "../../support/seeded-random.ts";

function add(outline: Outline, name: string, parent: NodeKey = ROOT, note?: string): NodeKey {
  const made = outline.create({ parent, position: "bottom", name, ...(note && { note }) });
  if (made.kind !== "created") throw new Error(made.kind);
  return made.key;
}

function link(outline: Outline, to: NodeKey, parent: NodeKey): NodeKey {
  const name = [{ insert: "x", attributes: { a: `#/${to}` } }];
  return outline.createPlain({ parent, position: "bottom", name });
}

function builtLinks(outline: Outline) {
  const { links } = SearchIndex.of(outline);
  inOneGo(links.build());
  return links;
}

test("[I30] links to nodes are told from all others, with what people add to an address", () => {
  expect(nodeOfHref("#/0123456789ab")).toBe("0123456789ab");
  expect(nodeOfHref("#/0123456789AB?q=milk")).toBe("0123456789ab");
  expect(nodeOfHref("#/0123456789ab/")).toBe("0123456789ab");
  for (const href of ["#/", "#/000000000000", "#/0123", "https://a.b/#/0123456789ab", "mailto:a"])
    expect([href, nodeOfHref(href)]).toEqual([href, undefined]);
});

test("[I30] the backlinks of a node are the visible nodes with a link to it, in document order", () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  const last = add(outline, `last [a](#/${target}) [b](#/${target})`);
  const first = add(outline, "first", target, `<a href="#/${target}">noted</a>`);
  const links = builtLinks(outline);
  expect(inOneGo(links.backlinksOf(target))).toEqual([first, last]);
  expect(links.countOf(target)).toBe(2);
  expect(links.countOf(target, 1)).toBe(1);
  outline.move(last, { parent: ROOT, position: "top" });
  expect(inOneGo(links.backlinksOf(target))).toEqual([last, first]);
  outline.trash(last, 0);
  expect(inOneGo(links.backlinksOf(target))).toEqual([first]);
  outline.restore(last);
  expect(links.countOf(target)).toBe(2);
  outline.update(last, { name: "no link" });
  expect(links.countOf(target)).toBe(1);
});

test("[I30] the backlinks of a chain of nodes are found in short steps, and without a way for each", async () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  const chain = [target];
  outline.doc.transact(() => {
    for (let parent = target; chain.length <= 3_000; chain.push(parent)) {
      parent = link(outline, target, parent);
    }
  });
  const links = builtLinks(outline);
  let found: readonly NodeKey[] = [];
  const calls = await callsOf(() => (found = inOneGo(links.backlinksOf(target))));
  expect(found).toEqual(chain.slice(1));
  expect(calls).toBeLessThan(100_000);
});

test("[I30] whatever is done, the index says what a look at all nodes would say", () => {
  const random = seededRandom(30);
  const outline = soloOutline();
  const keys = Array.from({ length: 12 }, (_, index) => add(outline, `node ${index}`));
  const work = SearchIndex.of(outline).links.build();
  for (let round = 0; round < 400; round++) {
    if (round === 20) SearchIndex.of(outline).clear();
    if (round % 5 === 0) work.next();
    const key = oneOf(random, keys);
    const to = oneOf(random, keys);
    const roll = random();
    if (roll < 0.4) outline.update(key, { name: `see [x](#/${to})` });
    else if (roll < 0.5) outline.update(key, { note: `<a href="#/${to}">y</a>` });
    else if (roll < 0.6) outline.update(key, { name: "plain", note: null });
    else if (roll < 0.8) outline.move(key, { parent: oneOf(random, [ROOT, to]), position: "top" });
    else if (roll < 0.9) outline.trash(key, 0);
    else outline.restore(key);
    const { links } = SearchIndex.of(outline);
    if (round > 30) inOneGo(links.build());
    if (!links.isBuilt) continue;
    for (const target of keys) {
      const wanted = [...outline.keysInOrder()].filter((each) => {
        const { name = "", note } = outline.node(each) ?? {};
        return `${name} ${note ?? ""}`.includes(`#/${target}"`);
      });
      expect(inOneGo(links.backlinksOf(target))).toEqual(wanted);
    }
  }
});

test("[I31] two who ask at once, and all of it let go in between, come to all links", () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  outline.doc.transact(() => {
    for (let made = 0; made < 2_100; made++) link(outline, target, ROOT);
  });
  const { links } = SearchIndex.of(outline);
  const one = links.build();
  for (let step = 0; step < 2; step++) one.next();
  SearchIndex.of(outline).clear();
  const other = links.build();
  other.next();
  inOneGo(one);
  expect([links.isBuilt, links.sourcesOf(target).size]).toEqual([true, 2_100]);
  inOneGo(other);
  expect(links.sourcesOf(target).size).toBe(2_100);
});

test("[I31] who listens learns which nodes have other backlinks, and nothing of other edits", () => {
  const outline = soloOutline();
  const [one, two] = [add(outline, "one"), add(outline, "two")];
  const source = add(outline, `[a](#/${one})`);
  const links = builtLinks(outline);
  const told: (readonly NodeKey[])[] = [];
  links.onChange(({ targets }) => told.push([...targets]));
  outline.update(two, { name: "two more" });
  outline.update(source, { name: `still [a](#/${one})` });
  expect(told).toEqual([]);
  outline.update(source, { name: `[a](#/${two})` });
  expect(told).toEqual([[one, two]]);
});

test("[I31] an edit reads the links of the nodes that it changes, and of no others", () => {
  const outline = soloOutline();
  const target = add(outline, "target");
  for (let made = 0; made < 300; made++) add(outline, `[x](#/${target})`);
  const links = builtLinks(outline);
  const before = links.sourcesOf(target);
  outline.update(target, { name: "renamed" });
  // The same set, untouched.
  expect(links.sourcesOf(target)).toBe(before);
  expect(links.bytes).toBe(300 * 300);
  SearchIndex.of(outline).clear();
  expect([links.bytes, links.isBuilt]).toEqual([0, false]);
});

/** The name is changed, and what links to the node follows. */
function rename(outline: Outline, key: NodeKey, name: string): void {
  const earlier = new Set([linkTextOfNode(outline, key)]);
  outline.update(key, { name });
  followName(outline, key, earlier, builtLinks(outline).sourcesOf(key));
}

test("[I32] a link that is called by the name of its node gets the new one, others keep their words", () => {
  const outline = soloOutline();
  const target = add(outline, "Launch");
  const plain = add(outline, `see [Launch](#/${target}) soon`);
  const own = add(outline, `the [big day](#/${target})`);
  const both = add(outline, `[Launch](#/${target}), [it](#/${target})`, ROOT, "kept");
  const noted = add(outline, "n", ROOT, `<a href="#/${target}">Launch</a>!`);
  const bold = add(outline, `**[Launch](#/${target})**`);
  const link = (text: string) => `<a href="#/${target}">${text}</a>`;
  rename(outline, target, "Big launch");
  expect(outline.node(plain)?.name).toBe(`see ${link("Big launch")} soon`);
  expect(outline.node(own)?.name).toBe(`the ${link("big day")}`);
  expect(outline.node(both)?.name).toBe(`${link("Big launch")}, ${link("it")}`);
  expect(outline.node(noted)?.note).toBe(`${link("Big launch")}!`);
  expect(outline.node(bold)?.name).toContain("Big launch");
  rename(outline, target, "Launch");
  expect(outline.node(plain)?.name).toBe(`see ${link("Launch")} soon`);
  rename(outline, target, "");
  expect(outline.node(plain)?.name).toBe(`see ${link("Launch")} soon`);
});

test("[I32] any name becomes any other in its links, whatever its characters", () => {
  const random = seededRandom(32);
  const outline = soloOutline();
  const target = add(outline, "😀");
  const source = add(outline, `a [😀](#/${target}) b`);
  const letters = ["😀", "😁", "a", "b", "é", " "];
  for (let round = 0; round < 200; round++) {
    const name = Array.from({ length: 1 + Math.floor(random() * 6) }, () => oneOf(random, letters));
    rename(outline, target, `x${name.join("")}`);
    const text = linkTextOfNode(outline, target);
    expect(outline.richText(source, "name").map(({ insert }) => insert)).toEqual([
      "a ",
      text,
      " b",
    ]);
  }
});

test("[I32] the text of a link is one line of at most 200 characters", () => {
  expect(linkTextOf("  a\n b ")).toBe("a b");
  expect(linkTextOf("x".repeat(300))).toBe("x".repeat(200));
  expect(linkTextOf(`${"x".repeat(199)}😀`)).toBe("x".repeat(199));
});

test("[I32] of a long name no more words are read than the text of a link has", () => {
  const found = vi.spyOn(RegExp.prototype, "exec");
  onTestFinished(() => found.mockRestore());
  expect(linkTextOf("ab ".repeat(100_000))).toBe("ab ".repeat(67).slice(0, 200));
  expect(found.mock.calls.length).toBeLessThan(200);
});

test("[I32] many links in a text are renamed in one pass over it, 100 of them", async () => {
  const outline = soloOutline();
  const target = outline.createPlain({ parent: ROOT, name: [{ insert: "old" }] });
  const links = Array.from({ length: 2_000 }, (_, at) => [
    { insert: "old", attributes: { a: `#/${target}`, ...(at % 2 === 0 && { b: true as const }) } },
    { insert: `${at} ` },
  ]);
  const source = outline.createPlain({ parent: ROOT, name: links.flat() });
  outline.update(target, { name: "a new name" });
  const calls = await callsOf(() => followName(outline, target, new Set(["old"]), [source]));
  expect(calls).toBeLessThan(200_000);
  const wanted = links.flatMap(([link, behind], at) =>
    at < 100 ? [{ ...link, insert: "a new name" }, behind] : [link, behind],
  );
  expect(outline.richText(source, "name")).toEqual(wanted);
});

test("[I32] texts of very many formats count as several nodes that link to one", () => {
  const outline = soloOutline();
  const target = outline.createPlain({ parent: ROOT, name: [{ insert: "old" }] });
  const formats = Array.from({ length: 5_000 }, () => [
    { insert: "x", attributes: { b: true as const } },
    { insert: " " },
  ]);
  const name = [{ insert: "old", attributes: { a: `#/${target}` } }, ...formats.flat()];
  const sources = Array.from({ length: 4 }, () => outline.createPlain({ parent: ROOT, name }));
  outline.update(target, { name: "new" });
  expect(followName(outline, target, new Set(["old"]), sources)).toBeLessThan(0);
  const names = sources.map((source) => outline.richText(source, "name")[0]?.insert);
  expect(names).toEqual(["new", "new", "old", "old"]);
});
