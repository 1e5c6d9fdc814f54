import { describe, expect } from "vitest";

import type { Api, Fields } from "./support/api.ts";
import { test } from "./support/api-test.ts";

/** Name, layout and completion; a bare name is an open bullet. */
type Row = string | readonly [name: string, layout: string, completed?: boolean];

interface Created {
  readonly first: Row;
  readonly children: readonly Row[];
}

async function created(api: Api, fields: Fields): Promise<Created> {
  const id = await api.create(fields);
  const nodes = await api.export();
  const rows = nodes.map(({ name, data, completed }): Row => {
    if (completed) return [name, data.layoutMode, true];
    return data.layoutMode === "bullets" ? name : [name, data.layoutMode];
  });
  const [first, ...children] = rows;
  expect(nodes[0]?.id).toBe(id);
  expect(nodes.slice(1).map((node) => node.parent_id)).toEqual(children.map(() => id));
  return { first: first ?? "", children };
}

describe("names of many lines", () => {
  test.for<readonly [rule: string, name: string, first: Row, ...children: Row[]]>([
    ["[N15] flat, in written order", "a\n\nb\n\nc\n\nd", "a", "b", "c", "d"],
    ["[N15] indentation makes no level", "a\n\n  b\n\n    c", "a", "b", "c"],
    ["[X26, X27] Windows newlines", "a\r\n\r\nb\r\nc", "a", "b c"],
    ["[X26] nothing but blanks", "  \n\n \t ", ""],
    [
      "[X26] a prefix and styles in every part",
      "# a\n\n- [x] b\n\n> c\n\n**d**",
      ["a", "h1"],
      ["b", "todo", true],
      ["c", "quote-block"],
      "<b>d</b>",
    ],
    [
      "[X28] texts around a fence, in which prefixes are text",
      "a\nb\n```ts\n# c\n\n- [x] d\n```\ne\nf",
      "a b",
      ["# c\n\n- [x] d", "code-block"],
      "e f",
    ],
  ])("%s: %j", async ([, name, first, ...children], { api }) => {
    expect(await created(api, { name })).toEqual({ first, children });
  });

  test("[N15] layoutMode, note and completed are for the first node", async ({ api }) => {
    const id = await api.create({
      name: "# a\n\n# b\n\nc",
      layoutMode: "h2",
      note: "of a",
      completed: true,
    });
    const rows = (await api.export()).map((node) => [
      node.name,
      node.data.layoutMode,
      node.note,
      node.completed,
    ]);
    expect(rows).toEqual([
      ["a", "h2", "of a", true],
      ["b", "h1", null, false],
      ["c", "bullets", null, false],
    ]);
    expect((await api.children(id)).length).toBe(2);
  });

  test("[X29] a code block is one node with its line breaks", async ({ api }) => {
    const name = "a\n\n# b\r\n\n  - [x] c";
    expect(await created(api, { name, layoutMode: "code-block" })).toEqual({
      first: ["a\n\n# b\n\n  - [x] c", "code-block"],
      children: [],
    });
  });

  test("[N15] the node stands where it was asked for, the children only below it", async ({
    api,
  }) => {
    const parent = await api.create({ name: "list" });
    await api.create({ parent_id: parent, name: "x" });
    const id = await api.create({ parent_id: parent, name: "a\n\nb", position: "bottom" });
    expect((await api.children(parent)).map((node) => node.name)).toEqual(["x", "a"]);
    expect((await api.children(id)).map((node) => node.name)).toEqual(["b"]);
  });
});
