import { expect } from "vitest";
import { addedBetween, ancestorsIn, docNode } from "./document-reading.ts";
import { plain, type Places, type Recorded, type Sent } from "./recorded.ts";

/*
 * What `wf` 3.3.1, the command line tool for WorkFlowy, sends for each of its commands, in the order in
 * which it does. Commands that read its own copy of the outline (`find`, `todos`, `tags`, `context`,
 * `history`, bookmarks, templates that are saved) send nothing; the tools of `wf mcp` are these commands.
 * `GARDEN` stands for the short id of a node, `GARDEN.id` for its full id.
 */

const read = (reference: string, depth = 1): Sent => [
  "GET",
  `/api/llm/doc/read/${encodeURIComponent(reference)}/?depth=${depth}`,
];
const edit = (root: string, ...operations: object[]): Sent => [
  "POST",
  "/api/llm/doc/edit",
  { root, operations },
];
const EXPORT: Sent = ["GET", "/api/v1/nodes-export"];
const TARGETS: Sent = ["GET", "/api/v1/targets"];
const KEYS = ["inbox", "calendar", "today", "tomorrow", "next_week", "work"];

interface CachedNode {
  readonly id: string;
  readonly name: string;
  readonly note: string | null;
  readonly data: { readonly layoutMode: string };
  readonly parent_id: string | null;
  readonly priority: number;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly completedAt: number | null;
}

/** What the tool keeps of an export. */
function cachedOf(answer: unknown): readonly CachedNode[] {
  return (answer as { readonly nodes: readonly CachedNode[] }).nodes;
}

function keepsAll(answer: unknown): void {
  const times = { createdAt: expect.any(Number), modifiedAt: expect.any(Number) } as object;
  const nodes = cachedOf(answer);
  for (const node of nodes) {
    expect(node).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      ...times,
    });
    if (node.parent_id !== null) expect(nodes.map(({ id }) => id)).toContain(node.parent_id);
  }
  expect(nodes.find(({ name }) => name === "Garden")).toMatchObject({
    note: "in spring",
    data: { layoutMode: "todo" },
    completedAt: null,
  });
  expect(nodes.find(({ name }) => name.startsWith("paint"))?.completedAt).toEqual(
    expect.any(Number),
  );
}

const GARDEN = { name: "Garden", note: "in spring", layout: "todo", isCompleted: false };

/** Reading, of any kind. */
const READS: readonly Recorded[] = [
  { command: "login --stdin", sends: () => [TARGETS] },
  { command: "targets", sends: () => [TARGETS] },
  {
    command: "sync",
    sends: () => [EXPORT, TARGETS, ...KEYS.map((key) => read(key, 0))],
    reads([all, targets, ...docs], { projects }) {
      keepsAll(all);
      const listed = (targets as { targets: { key: string; type: string; name: string | null }[] })
        .targets;
      expect(listed.map(({ key }) => key)).toEqual(KEYS);
      expect(listed.find(({ key }) => key === "work")).toMatchObject({
        type: "shortcut",
        name: "Projects",
      });
      const tags = docs.map((doc) => docNode(doc).tag);
      for (const tag of tags) expect(tag).toMatch(/^[0-9a-f]{12}$/);
      // On a Sunday tomorrow is the first day of next week.
      const isOneDay = new Date().getUTCDay() === 0;
      expect(new Set(tags).size).toBe(KEYS.length - (isOneDay ? 1 : 0));
      expect(tags.at(-1)).toBe(projects.tag);
      const inbox = cachedOf(all).find(({ name }) => plain(name).endsWith("Inbox"));
      expect(tags[KEYS.indexOf("inbox")]).toBe(inbox?.id.slice(-12));
    },
  },
  {
    command: "read PROJECTS --live --include-path --agent",
    sends: ({ projects }) => [read(projects.tag, 3)],
    reads([doc], { projects, garden, kitchen }) {
      expect(docNode(doc)).toMatchObject({
        tag: projects.tag,
        name: "Projects",
        note: "all of them",
        layout: "bullet",
        hasMore: false,
        children: [
          { tag: garden.tag, ...GARDEN, children: [{ name: "dig" }] },
          {
            tag: kitchen.tag,
            name: "Kitchen & <hall>",
            layout: "h2",
            children: [{ name: "paint #now", layout: "todo", isCompleted: true }],
          },
        ],
      });
      expect(ancestorsIn(doc)).toEqual(["None"]);
    },
  },
  {
    command: "read PROJECTS.id --live --depth 1",
    sends: ({ projects }) => [read(projects.id)],
    reads([doc]) {
      const { hasMore, children } = docNode(doc);
      expect([hasMore, ...children.map((child) => child.hasMore)]).toEqual([false, true, true]);
    },
  },
  {
    command: "export @work --format markdown",
    sends: ({ projects }) => [read(projects.tag, 5)],
    reads([doc]) {
      expect(docNode(doc).children.map(({ name }) => name)).toEqual(["Garden", "Kitchen & <hall>"]);
    },
  },
  {
    command: "search paint --live --target @work",
    sends: () => [EXPORT, read("work", 0)],
    reads([all, doc], { projects }) {
      keepsAll(all);
      expect(docNode(doc).tag).toBe(projects.tag);
    },
  },
  {
    command: "watch:start --interval 1s",
    sends: () => [EXPORT, EXPORT],
    reads([first, second]) {
      keepsAll(first);
      expect(second).toEqual(first);
    },
  },
  { command: "cache:diff", sends: () => [EXPORT], reads: ([all]) => keepsAll(all) },
];

/** Writing by itself: each looks at what it is about to change, and then edits. */
const WRITES: readonly Recorded[] = [
  {
    command: "add PROJECTS 'a *new* one'",
    sends: ({ projects: { tag } }) => [
      edit(tag, {
        op: "insert",
        under: tag,
        items: [{ n: "a <i>new</i> one" }],
        position: "bottom",
      }),
    ],
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!) a new one) Other | a thought",
  },
  {
    command: "add PROJECTS 'x < y' --type todo --note 'one\\ntwo' --position top --agent",
    sends: ({ projects: { tag } }) => [
      read(tag),
      edit(tag, {
        op: "insert",
        under: tag,
        items: [{ n: "x &lt; y", d: "one<br>two", l: "todo" }],
        position: "top",
      }),
      read(tag),
    ],
    reads([before, , after]) {
      expect(addedBetween(before, after, { at: "top" })).toMatchObject({
        name: "x < y",
        note: "one\ntwo",
        layout: "todo",
      });
    },
    leaves: "Projects(x < y=one\ntwo Garden(dig) Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "add PROJECTS between --after GARDEN --agent",
    sends: ({ projects: { tag }, garden }) => [
      read(tag),
      edit(tag, { op: "insert", after: garden.tag, items: [{ n: "between" }] }),
      read(tag),
    ],
    reads([before, , after], { garden }) {
      expect(addedBetween(before, after, { behind: garden.tag })?.name).toBe("between");
    },
    leaves: "Projects(Garden(dig) between Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "add root 'at the top' --agent",
    sends: () => [
      read("root"),
      edit("root", {
        op: "insert",
        under: "root",
        items: [{ n: "at the top" }],
        position: "bottom",
      }),
      read("root"),
    ],
    reads([before, , after]) {
      expect(addedBetween(before, after, { at: "bottom" })?.name).toBe("at the top");
    },
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other at the top | a thought",
  },
  {
    command: "add tomorrow 'not there yet' --agent",
    sends: () => [
      read("tomorrow"),
      edit("tomorrow", {
        op: "insert",
        under: "tomorrow",
        items: [{ n: "not there yet" }],
        position: "bottom",
      }),
      read("tomorrow"),
    ],
    reads([before, , after]) {
      expect(docNode(before)).toMatchObject({ tag: docNode(after).tag, children: [] });
      expect(addedBetween(before, after, { at: "bottom" })?.name).toBe("not there yet");
    },
  },
  {
    command: "update GARDEN --text 'Garden <b>2</b> & <x>' --note 'a\\nb'",
    sends: ({ garden: { tag } }) => [
      read(tag),
      edit(tag, {
        op: "update",
        ref: tag,
        to: { n: "Garden <b>2</b> &amp; <x>", d: "a<br>b" },
      }),
    ],
    leaves: "Projects(Garden 2 & <x>=a\nb(dig) Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "update GARDEN.id --clear-note, read GARDEN --live --depth 1",
    sends: ({ garden }) => [
      read(garden.id),
      edit(garden.tag, { op: "update", ref: garden.tag, to: { d: "" } }),
      read(garden.tag),
    ],
    reads: (answers) => expect(docNode(answers.at(-1)).note).toBe(null),
  },
  {
    command: "complete GARDEN",
    sends: ({ garden: { tag } }) => [
      read(tag),
      edit(tag, { op: "update", ref: tag, to: { x: 1 } }),
    ],
    leaves: "Projects(Garden!(dig) Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "complete PAINT --undo",
    sends: ({ paint: { tag } }) => [read(tag), edit(tag, { op: "update", ref: tag, to: { x: 0 } })],
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now)) Other | a thought",
  },
  {
    command: "delete GARDEN --yes",
    sends: ({ garden, projects }) => [
      read(garden.tag, 0),
      read(projects.tag),
      edit(projects.tag, { op: "delete", ref: garden.tag }),
    ],
    reads: ([doc], { projects }) => expect(ancestorsIn(doc).at(-1)).toBe(projects.tag),
    leaves: "Projects(Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "delete OTHER --yes",
    sends: ({ other }) => [
      read(other.tag, 0),
      read("None"),
      edit("None", { op: "delete", ref: other.tag }),
    ],
    reads: ([doc]) => expect(ancestorsIn(doc)).toEqual(["None"]),
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) | a thought",
  },
  {
    command: "move DIG KITCHEN",
    sends: ({ dig, garden, kitchen }) => [
      read(dig.tag, 0),
      read(garden.tag),
      edit(garden.tag, { op: "move", ref: dig.tag, under: kitchen.tag, position: "top" }),
    ],
    reads: ([doc], { dig, garden }) => {
      expect([docNode(doc).tag, ancestorsIn(doc).at(-1)]).toEqual([dig.tag, garden.tag]);
    },
    leaves: "Projects(Garden Kitchen & <hall>(dig paint #now!)) Other | a thought",
  },
  {
    command: "move OTHER @work --position bottom",
    sends: ({ other, projects }) => [
      read(other.tag, 0),
      read("None"),
      edit("None", { op: "move", ref: other.tag, under: projects.tag, position: "bottom" }),
    ],
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!) Other) | a thought",
  },
];

const LINES_BELOW = [
  { n: "todo kid", l: "todo", x: 1, c: [{ n: "grand" }] },
  { n: "code kid", l: "code" },
  { n: "tbl", l: "table", c: [{ n: "col1", c: [{ n: "cell" }] }] },
];

/** What `doc:edit` is given: it sends each operation along with what it makes of it. */
export function inputOfDocEdit({ dig, garden, other }: Places): readonly object[] {
  return [
    {
      op: "insert",
      under: "@work",
      items: [{ n: "DE parent", d: "note\nsecond", l: "h2", c: LINES_BELOW }],
    },
    { op: "update", ref: dig.tag, to: { n: "a < b && c\n  if (x) { y }", l: "code" } },
    { op: "move", ref: other.tag, under: garden.tag },
    { op: "delete", ref: garden.tag },
  ];
}

function sentOfDocEdit(at: Places): readonly object[] {
  const [insert, update, move, remove] = inputOfDocEdit(at);
  return [
    {
      ...insert,
      original: insert,
      position: "top",
      items: [{ n: "DE parent", d: "note<br>second", l: "h2", c: LINES_BELOW }],
      under: at.projects.tag,
    },
    {
      ...update,
      original: update,
      to: { n: "a &lt; b &amp;&amp; c<br>  if (x) { y }", l: "code" },
    },
    { ...move, original: move, position: "top" },
    { ...remove, original: remove },
  ];
}

/** Several changes in one request. */
const MANY: readonly Recorded[] = [
  {
    command: "batch",
    sends: ({ projects, garden, dig, kitchen, paint }) => [
      read(paint.tag, 0),
      read(dig.tag, 0),
      read(projects.tag),
      edit(
        projects.tag,
        { op: "insert", under: projects.tag, items: [{ n: "B1 #bt", l: "todo" }], position: "top" },
        { op: "insert", under: projects.tag, items: [{ n: "B2" }], position: "bottom" },
      ),
      read(paint.tag),
      edit(paint.tag, { op: "update", ref: paint.tag, to: { x: 0 } }),
      read(garden.tag),
      edit(garden.tag, { op: "move", ref: dig.tag, under: kitchen.tag, position: "bottom" }),
    ],
    leaves: "Projects(B1 #bt Garden Kitchen & <hall>(paint #now dig) B2) Other | a thought",
  },
  {
    command: "doc:edit PROJECTS, read PROJECTS --live --depth 9",
    sends: (at) => [
      read(at.projects.tag),
      edit(at.projects.tag, ...sentOfDocEdit(at)),
      read(at.projects.tag, 9),
    ],
    reads(answers) {
      const [parent] = docNode(answers.at(-1)).children;
      expect(parent).toMatchObject({
        name: "DE parent",
        note: "note\nsecond",
        layout: "h2",
        children: [
          { layout: "todo", isCompleted: true, children: [{ name: "grand" }] },
          { layout: "code" },
          { layout: "table", children: [{ name: "col1", children: [{ name: "cell" }] }] },
        ],
      });
    },
    leaves:
      "Projects(DE parent=note\nsecond(todo kid!(grand) code kid tbl(col1(cell))) Kitchen & <hall>(paint #now!)) | a thought",
  },
  {
    command: "bulk complete --filter type:todo",
    sends: ({ projects, garden, kitchen, paint }) => [
      read(projects.id),
      edit(projects.tag, { op: "update", ref: garden.tag, to: { x: 1 } }),
      read(kitchen.id),
      edit(kitchen.tag, { op: "update", ref: paint.tag, to: { x: 1 } }),
    ],
    leaves: "Projects(Garden!(dig) Kitchen & <hall>(paint #now!)) Other | a thought",
  },
  {
    command: "bulk delete --filter type:h2 --yes",
    sends: ({ projects, kitchen }) => [
      read(projects.id),
      edit(projects.tag, { op: "delete", ref: kitchen.tag }),
    ],
    leaves: "Projects(Garden(dig)) Other | a thought",
  },
  {
    command: "bulk move --since 1d --target OTHER --to GARDEN",
    sends: ({ other, garden }) => [
      read("root"),
      edit("root", { op: "move", ref: other.tag, under: garden.tag, position: "top" }),
    ],
    leaves: "Projects(Garden(Other dig) Kitchen & <hall>(paint #now!)) | a thought",
  },
  {
    command: "template apply daily --to OTHER",
    sends: ({ other: { tag } }) => [
      edit(tag, {
        op: "insert",
        under: tag,
        items: [
          {
            n: "Day",
            d: "as always",
            l: "h1",
            c: [{ n: "read", l: "todo" }, { n: "a line", l: "quote-block" }, { n: "b" }],
          },
        ],
        position: "top",
      }),
    ],
    leaves:
      "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other(Day=as always(read a line b)) | a thought",
  },
  {
    command: "ai:apply",
    sends: ({ projects, garden, dig, kitchen }) => [
      read(garden.tag),
      edit(
        garden.tag,
        { op: "move", ref: dig.tag, under: kitchen.tag, position: "top" },
        { op: "update", ref: garden.tag, to: { n: "Garden, sorted" } },
      ),
      read(projects.tag),
      edit(projects.tag, {
        op: "insert",
        under: projects.tag,
        items: [{ n: "Summary", d: "by a model" }],
        position: "top",
      }),
    ],
    leaves:
      "Projects(Summary=by a model Garden, sorted Kitchen & <hall>(dig paint #now!)) Other | a thought",
  },
];

interface Relationship {
  readonly node: {
    readonly id: string;
    readonly data: {
      readonly mirror?: { readonly origin_id?: string; readonly mirror_ids?: readonly string[] };
    };
  };
}

const MIRRORS: readonly Recorded[] = [
  {
    command: "--beta mirror:info GARDEN",
    sends: ({ garden }) => [["GET", `/api/v1/nodes/${garden.tag}`]],
    reads([answer], { garden }) {
      const { node } = answer as Relationship;
      expect([node.id, node.data.mirror]).toEqual([garden.id, undefined]);
    },
  },
  {
    command: "--beta mirror:create GARDEN OTHER, --beta mirror:info GARDEN",
    sends: ({ garden, other }) => [
      ["POST", `/api/v1/nodes/${garden.tag}/mirror`, { parent_id: other.tag, position: "top" }],
      ["GET", `/api/v1/nodes/${garden.tag}`],
    ],
    reads([made, info], { garden }) {
      const { item_id: mirror, origin_id } = made as { item_id: string; origin_id: string };
      expect(origin_id).toBe(garden.id);
      expect((info as Relationship).node.data.mirror).toEqual({ mirror_ids: [mirror] });
    },
    leaves: "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other(Garden) | a thought",
  },
];

export const CLI_COMMANDS: readonly Recorded[] = [...READS, ...WRITES, ...MANY, ...MIRRORS];
