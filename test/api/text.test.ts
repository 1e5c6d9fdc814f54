import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";

/*
 * What a text becomes is shown row by row in `test/core/text`. Here: every route that takes one
 * reads it so, and answers it so.
 */

const AUGUST = '<time startYear="2026" startMonth="8" startDay="1">Sat, Aug 1, 2026</time>';

/** What is sent as a name, and what is stored. */
const NAMES = [
  ["a **b** c *d* e ~~f~~ `**g**`", "a <b>b</b> c <i>d</i> e <s>f</s> <code>**g**</code>"],
  ["2 * 3, snake_case, #tag", "2 * 3, snake_case, #tag"],
  ["[x](https://a.example) [y](javascript:f)", '<a href="https://a.example">x</a> y'],
  ["pay by [2026-08-01], not [2026-02-30]", `pay by ${AUGUST}, not [2026-02-30]`],
  ["<strong>x</strong> <div> & &copy;", "<b>x</b> &lt;div&gt; &amp; &copy;"],
  ["![x](https://a.example/x.png)", '!<a href="https://a.example/x.png">x</a>'],
  [" a\tb\u0000c\ud800 ", "a bc\ufffd"],
] as const;

test.for(NAMES)(
  "[X1, X5, X7, X8, X13, X17, X33] the name %j is stored as %j",
  async ([sent, stored], { api }) => {
    const created = await api.create({ name: sent });
    const updated = await api.create({ name: "something else" });
    await api.update(updated, { name: sent });
    expect([(await api.node(created)).name, (await api.node(updated)).name]).toEqual([
      stored,
      stored,
    ]);
  },
);

test("[N20, X20] every stored text, written back, changes nothing", async ({ api, clock }) => {
  for (const [sent] of NAMES) {
    const id = await api.create({ name: sent, note: sent });
    const before = await api.node(id);
    clock.advance(5);
    await api.update(id, { name: before.name, note: before.note });
    expect(await api.node(id)).toEqual(before);
    const copy = await api.create({ name: before.name, note: before.note });
    const { name, note } = await api.node(copy);
    expect({ name, note }).toEqual({ name: before.name, note: before.note });
  }
});

test.for([
  ["## **x**", "<b>x</b>", "h2", false],
  ["- [x] x", "x", "todo", true],
  ["- [ ] x", "x", "todo", false],
  ["> x", "x", "quote-block", false],
  ["##### x", "<b>x</b>", "bullets", false],
  ["#x", "#x", "bullets", false],
  ["```js\na\n\n  **b** & c\n```", "a\n\n  **b** &amp; c", "code-block", false],
] as const)(
  "[X22, X23, X24, X28, X31] %j: %j, %s, completed %s",
  async ([sent, name, layout, completed], { api }) => {
    const id = await api.create({ name: "something else" });
    await api.update(id, { name: sent });
    for (const each of [id, await api.create({ name: sent })]) {
      const node = await api.node(each);
      const shown = [node.name, node.data.layoutMode, node.completed];
      expect(shown).toEqual([name, layout, completed]);
    }
  },
);

describe("code blocks", () => {
  test("[X29, X31] a name is literal when the layout is given", async ({ api }) => {
    const name = "# a\n\n**b** [2026-08-01]";
    const id = await api.create({ name, layoutMode: "code-block" });
    expect(await api.node(id)).toMatchObject({ name, completed: false });
    expect(await api.children(id)).toEqual([]);
  });

  test("[X31] tabs of code stay, whatever becomes of it; elsewhere they are spaces", async ({
    api,
  }) => {
    const code = "code\n\ty\t// <z>";
    const stored = "code\n\ty\t// &lt;z&gt;";
    const id = await api.create({ name: code, layoutMode: "code-block" });
    const nameOf = async (): Promise<string> => (await api.node(id)).name;
    expect(await nameOf()).toBe(stored);
    const before = await api.node(id);
    await api.update(id, { name: stored });
    expect(await api.node(id)).toEqual(before);
    await api.update(id, { name: `${stored}\n\t\tend`, base_name: stored });
    expect(await nameOf()).toBe(`${stored}\n\t\tend`);
    await api.update(id, { name: "\tx" });
    expect(await nameOf()).toBe("\tx");
    await api.update(id, { layoutMode: "h1" });
    expect(await nameOf()).toBe(" x");
    await api.update(id, { layoutMode: "code-block" });
    expect(await nameOf()).toBe("\tx");
  });
});

describe("notes", () => {
  test("[X32, X33] are HTML of several lines, without markdown", async ({ api }) => {
    const note = "# **x** [2026-08-01]\r\n\n<strong>y</strong>\t<div> &copy;\u0000";
    const stored = "# **x** [2026-08-01]\n\n<b>y</b> &lt;div&gt; &copy;";
    const updated = await api.create({ name: "x" });
    await api.update(updated, { note });
    const created = await api.create({ name: "x", note });
    for (const id of [updated, created]) expect((await api.node(id)).note).toBe(stored);
  });

  test.for(["", null])("[X32] %j is no note", async (note, { api }) => {
    expect((await api.node(await api.create({ name: "x", note }))).note).toBe(null);
  });
});
