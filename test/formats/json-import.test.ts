import { describe, expect, test } from "vitest";
import { JsonImport } from "../../src/formats/json-import.ts";
import { readAll } from "./read-outline.ts";

const LIMITS = { maxNodes: 1000, maxDepth: 50, maxTextBytes: 1000 };
const OURS = "01234567-89ab-8def-8123-";
const FOREIGN = "01234567-89ab-4def-8123-";

function read(json: unknown) {
  return readAll(new JsonImport(LIMITS), typeof json === "string" ? json : JSON.stringify(json), 7);
}

describe("JSON import", () => {
  test("[F7] reads the body of an export, in any order", () => {
    const node = { note: null, data: { layoutMode: "bullets" }, createdAt: 7, completedAt: null };
    const nodes = [
      {
        ...node,
        id: `${OURS}00000000000a`,
        parent_id: `${OURS}000000000001`,
        priority: 200,
        name: "b",
      },
      {
        ...node,
        id: `${OURS}000000000001`,
        parent_id: null,
        priority: 100,
        name: "Inbox",
        note: "n",
        completed: true,
        data: { layoutMode: "todo" },
        modifiedAt: 8.5,
        completedAt: 9,
      },
      {
        ...node,
        id: `${OURS}00000000000b`,
        parent_id: `${OURS}000000000001`,
        priority: 100,
        name: "a",
      },
      { ...node, id: `${FOREIGN}000020260101`, parent_id: "elsewhere", priority: 300, name: "c" },
    ];
    // The keys 00000000000a and …b are reserved and stand for nothing: they are not wished for. Nor
    // is that of a day in a foreign id.
    const entries = [
      {
        depth: 0,
        key: "000000000001",
        name: "Inbox",
        note: "n",
        layout: "todo",
        createdAt: 7,
        modifiedAt: 8,
        completedAt: 9,
      },
      { depth: 1, name: "a", layout: "bullets", createdAt: 7 },
      { depth: 1, name: "b", layout: "bullets", createdAt: 7 },
      { depth: 0, name: "c", layout: "bullets", createdAt: 7 },
    ];
    expect(read({ nodes })).toEqual({ kind: "read", entries });
    expect(read(nodes)).toEqual({ kind: "read", entries });
  });

  test("[F7, N43] reads the nested lists of an account backup", () => {
    const backup = [
      {
        id: `${FOREIGN}abcdefabcdef`,
        nm: "one",
        no: "note",
        ct: 1234,
        lm: 1_700_000_000,
        cp: 99,
        metadata: { layoutMode: "h1", junk: [{}] },
        ch: [
          { nm: "two", ch: [{ nm: "three" }] },
          { nm: "four", metadata: { layoutMode: "board" }, cp: 1_700_000_001 },
        ],
      },
    ];
    expect(read(backup)).toEqual({
      kind: "read",
      entries: [
        {
          depth: 0,
          key: "abcdefabcdef",
          name: "one",
          note: "note",
          layout: "h1",
          modifiedAt: 1_700_000_000,
          completedAt: "unknown",
        },
        { depth: 1, name: "two", layout: "bullets" },
        { depth: 2, name: "three", layout: "bullets" },
        { depth: 1, name: "four", layout: "board", completedAt: 1_700_000_001 },
      ],
    });
  });

  test("[F7] two nodes that wish for one key: the first has it", () => {
    const id = `${FOREIGN}abcdefabcdef`;
    const other = `99999999-89ab-4def-8123-abcdefabcdef`;
    expect(read([{ id }, { id: other }])).toMatchObject({
      entries: [{ key: "abcdefabcdef" }, { depth: 0, name: "", layout: "bullets" }],
    });
  });

  test.each([
    ['{"nodes":[{"id":"a"},{"id":"a"}]}', "node 2", "the id a stands twice"],
    ['[{"id":"a"},{"id":"b","parent_id":"b"}]', "node 2", "a node that is its own ancestor"],
    ['[{"id":"a"},{},{"name":5}]', "node 3", "name is no text"],
    ['[{"nm":"a","ch":[{}]},{"ch":5}]', "node 3", "the children are no list"],
    ['[{"nm":"a"},7]', "node 2", "no node"],
    [`[{"nm":"a","ch":[{"no":"${"x".repeat(1001)}"}]}]`, "node 2", "a note of over 1000 bytes"],
    ['{"node":[]}', undefined, 'no outline: expected {"nodes": […]} or a list'],
    ["7", undefined, 'no outline: expected {"nodes": […]} or a list'],
  ])("[F2] says the node and the reason: %s", (json, place, reason) => {
    expect(read(json)).toEqual({ kind: "broken", ...(place !== undefined && { place }), reason });
  });

  test.each(['{"nodes":[{]}', '{"nodes":[{}]', "", '[{"name":"a\nb"}]', "[01]"])(
    "[F2] refuses what is no JSON: %j",
    (json) => {
      const reason = expect.stringMatching(/^no valid JSON \(.+\)$/);
      expect(read(json)).toEqual({ kind: "broken", reason });
    },
  );
});
