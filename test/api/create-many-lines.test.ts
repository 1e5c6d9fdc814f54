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
    ["[N15] one line", "a", "a"],
    ["[N15] two parts", "a\n\nb", "a", "b"],
    ["[N15] flat, in written order", "a\n\nb\n\nc\n\nd", "a", "b", "c", "d"],
    ["[N15] many newlines are one blank", "a\n\n\n\n\nb", "a", "b"],
    ["[N15] a line of spaces is blank", "a\n  \nb", "a", "b"],
    ["[N15] indentation makes no level", "a\n\n  b\n\n    c", "a", "b", "c"],
    ["[X27] a single newline", "a\nb", "a b"],
    ["[X27] single newlines in every part", "a\nb\n\nc\nd", "a b", "c d"],
    ["[X27] a list without blank lines", "- a\n- b", "a - b"],
    ["[X27] a heading with its line", "# a\nb", ["a b", "h1"]],
    ["[X26] Windows newlines", "a\r\n\r\nb\r\nc", "a", "b c"],
    ["[X26] mixed newlines", "a\r\n\nb", "a", "b"],
    ["[X26] leading and trailing blanks", "\n\n\na\n\nb\n\n\n", "a", "b"],
    ["[X26] nothing but newlines", "\n\n\n", ""],
    ["[X26] nothing but blanks", "  \n\n \t ", ""],
    [
      "[X26] a prefix in every part",
      "# a\n\n- [ ] b\n\n- [x] c\n\n> d\n\n- e\n\n### f\n\n## g\n\nh",
      ["a", "h1"],
      ["b", "todo"],
      ["c", "todo", true],
      ["d", "quote-block"],
      "e",
      ["f", "h3"],
      ["g", "h2"],
      "h",
    ],
    ["[X26] styles in every part", "**a**\n\n*b*", "<b>a</b>", "<i>b</i>"],
    ["[X28] a fence", "```\na\n  b\n```", ["a\n  b", "code-block"]],
    ["[X28] blank lines in a fence", "```\na\n\n\nb\n```", ["a\n\n\nb", "code-block"]],
    ["[X28] a fence behind a text", "a\n```\nb\n```", "a", ["b", "code-block"]],
    ["[X28] a text behind a fence", "```\na\n```\nb", ["a", "code-block"], "b"],
    [
      "[X28] texts around a fence",
      "a\nb\n```ts\nc\n\nd\n```\ne\nf",
      "a b",
      ["c\n\nd", "code-block"],
      "e f",
    ],
    ["[X28] two fences", "```\na\n```\n```\nb\n```", ["a", "code-block"], ["b", "code-block"]],
    [
      "[X28] prefixes in a fence are text",
      "x\n\n```\n# a\n- [x] b\n```",
      "x",
      ["# a\n- [x] b", "code-block"],
    ],
    ["[X28] a fence with Windows newlines", "```\r\na\r\nb\r\n```", ["a\nb", "code-block"]],
    ["[X28] a fence that is not closed", "a\n\n```\nb\n\nc", "a", ["b\n\nc", "code-block"]],
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
