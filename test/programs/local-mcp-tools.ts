import { expect } from "vitest";
import { ancestorsIn, docNode } from "./document-reading.ts";
import type { Places, Recorded, Sent } from "./recorded.ts";

/*
 * What the local MCP server 1.5.4 for WorkFlowy sends for each of its tools. It asks for the targets
 * first, to see whether the key is good, and behind an edit it reads what it keeps a copy of. The tools
 * that are about its own accounts, bookmarks and backups on the disk send nothing else.
 */

const CHECK: Sent = ["GET", "/api/v1/targets"];
const EXPORT: Sent = ["GET", "/api/v1/nodes-export"];
const edit = (root: string, ...operations: object[]): Sent => [
  "POST",
  "/api/llm/doc/edit",
  { root, operations },
];
const node = (id: string): Sent => ["GET", `/api/v1/nodes/${id}`];
const children = (of: string): Sent => ["GET", `/api/v1/nodes?parent_id=${of}`];

interface Listed {
  readonly nodes: readonly { readonly id: string; readonly name: string }[];
}

function namesIn(answer: unknown): readonly string[] {
  return (answer as Listed).nodes.map(({ name }) => name);
}

function nodeIn(answer: unknown): Readonly<Record<string, unknown>> {
  return (answer as { readonly node: Readonly<Record<string, unknown>> }).node;
}

function readsAll(all: unknown, { dig, garden }: Places): void {
  const { nodes } = all as { readonly nodes: readonly Readonly<Record<string, unknown>>[] };
  expect(nodes.find(({ id }) => id === dig.id)).toMatchObject({
    name: "dig",
    parent_id: garden.id,
    completed: false,
    priority: expect.any(Number) as number,
    createdAt: expect.any(Number) as number,
    modifiedAt: expect.any(Number) as number,
    completedAt: null,
  });
}

export const LOCAL_MCP_TOOLS: readonly Recorded[] = [
  {
    command: "read_doc {node_id: PROJECTS, depth: 3}",
    sends: ({ projects }) => [CHECK, ["GET", `/api/llm/doc/read/${projects.tag}/?depth=3`]],
    reads([, doc], { projects, garden }) {
      const { tag, children: below } = docNode(doc);
      expect([tag, below[0]?.tag, below[0]?.children[0]?.name]).toEqual([
        projects.tag,
        garden.tag,
        "dig",
      ]);
      expect(ancestorsIn(doc)).toEqual(["None"]);
    },
  },
  {
    command: "read_doc {node_id: None}, {node_id: today}, {node_id: 2027-03}, {node_id: work}",
    sends: () => [
      CHECK,
      ["GET", "/api/llm/doc/read/None/?depth=1"],
      CHECK,
      ["GET", "/api/llm/doc/read/today/?depth=3"],
      CHECK,
      ["GET", "/api/llm/doc/read/2027-03/?depth=3"],
      CHECK,
      ["GET", "/api/llm/doc/read/work/?depth=10"],
    ],
    reads([, top, , today, , month, , work], { projects }) {
      expect(docNode(top)).toMatchObject({ tag: "None", name: "Home" });
      expect(docNode(today).tag).toMatch(/^0000\d{8}$/);
      expect(docNode(month)).toMatchObject({ tag: "000020270300", name: "March" });
      expect(docNode(work).tag).toBe(projects.tag);
    },
  },
  {
    command: "edit_doc: insert, update and move by short ids",
    sends: ({ projects, garden, dig, kitchen, other }) => [
      CHECK,
      edit(
        projects.tag,
        {
          op: "insert",
          under: projects.tag,
          items: [{ n: "R&D\nsecond line", l: "p", c: [{ n: "- not a list" }] }],
          position: "bottom",
        },
        { op: "update", ref: garden.tag, to: { n: "Garden **2**", x: 1 } },
        { op: "move", ref: dig.tag, under: kitchen.tag, position: "bottom" },
        { op: "move", ref: other.tag, under: "None" },
      ),
      children(projects.tag),
      children(kitchen.tag),
      children("None"),
      node(garden.tag),
      node(dig.tag),
      node(other.tag),
    ],
    reads([, , below, inKitchen, top, garden, dig]) {
      expect(namesIn(below)).toEqual([
        "Garden <b>2</b>",
        "Kitchen &amp; &lt;hall&gt;",
        expect.stringMatching(/^R&amp;D/) as string,
      ]);
      expect(namesIn(inKitchen)).toEqual(["paint #now", "dig"]);
      expect(namesIn(top)).toEqual(expect.arrayContaining(["Projects", "Other"]));
      expect(nodeIn(garden)).toMatchObject({ name: "Garden <b>2</b>" });
      expect(nodeIn(garden)["completedAt"]).toEqual(expect.any(Number));
      expect(nodeIn(dig)["completedAt"]).toBe(null);
    },
    leaves:
      "Other Projects(Garden 2! Kitchen & <hall>(paint #now! dig) R&D second line(not a list)) | a thought",
  },
  {
    command: "edit_doc with full ids, behind a sibling and in the inbox",
    sends: ({ projects, garden }) => [
      CHECK,
      edit(
        projects.id,
        { op: "update", ref: garden.id, to: { d: "a note" } },
        { op: "insert", after: garden.id, items: [{ n: "next" }] },
        { op: "insert", under: "inbox", items: [{ n: "new thought" }] },
      ),
      children(projects.id),
      children("inbox"),
      node(garden.id),
    ],
    reads([, , below, inbox, garden]) {
      expect(namesIn(below)).toEqual(["Garden", "next", "Kitchen &amp; &lt;hall&gt;"]);
      expect(namesIn(inbox)).toEqual(["new thought", "a thought"]);
      expect(nodeIn(garden)).toMatchObject({ note: "a note" });
    },
    leaves:
      "Projects(Garden=a note(dig) next Kitchen & <hall>(paint #now!)) Other | new thought a thought",
  },
  {
    command: "mirror_info {node_id: GARDEN}",
    sends: ({ garden }) => [CHECK, node(garden.tag)],
    reads: ([, answer]) => expect(nodeIn(answer)["data"]).not.toHaveProperty("mirror"),
  },
  {
    command: "create_mirror {node_id: GARDEN, parent_id: OTHER}",
    sends: ({ garden, other }) => [
      CHECK,
      ["POST", `/api/v1/nodes/${garden.tag}/mirror`, { parent_id: other.tag, position: "top" }],
    ],
    reads([, made], { garden }) {
      expect(made).toEqual({ item_id: expect.any(String) as string, origin_id: garden.id });
    },
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other(Garden) | a thought",
  },
  {
    command: "sync_nodes",
    sends: () => [CHECK, EXPORT],
    reads: ([, all], at) => readsAll(all, at),
  },
  {
    command: "create_backup",
    sends: () => [CHECK, EXPORT],
    reads: ([, all], at) => readsAll(all, at),
  },
  {
    command: "list_bookmarks, with instructions that stand in PROJECTS",
    sends: ({ projects }) => [CHECK, node(projects.id), children(projects.id)],
    reads([, , below]) {
      expect(namesIn(below)).toEqual(["Garden", "Kitchen &amp; &lt;hall&gt;"]);
    },
  },
];
