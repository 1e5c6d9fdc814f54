import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as Y from "yjs";
import { COMMANDS } from "../../src/commands/commands.ts";
import { runCommand } from "../../src/commands/run-command.ts";
import { MAX_MIRRORS } from "../../src/core/tree/mirror-rows.ts";
import { dayKey, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import type { OutlineFormat } from "../../src/formats/outline-format.ts";
import { readerOf } from "../../src/formats/reader-of.ts";
import { FakeChannel } from "../command/fake-channel.ts";
import { NOW } from "../command/invoke.ts";
import { readAll } from "../formats/read-outline.ts";
import { soloOutline } from "../support/lab.ts";
import { keyOf, plant } from "../support/outline-notation.ts";
import { entriesOf } from "../formats/entries-of.ts";
import { outlineOf, startAdmin } from "./service-parts.ts";

const LIMITS = { maxNodes: 10_000, maxDepth: 100, maxTextBytes: 10_000 };

let service: ReturnType<typeof startAdmin>;

beforeEach(async () => {
  service = startAdmin();
  await service.accounts.addUser("me");
});

afterEach(() => service.close());

/** What `outline export` writes. */
async function exported(outline: Outline, format: OutlineFormat): Promise<string> {
  const update = Y.encodeStateAsUpdate(outline.doc);
  const channel = new FakeChannel({ state: { items: [{ outline: outline.id }, { update }] } });
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on("data", (chunk: Buffer) => chunks.push(chunk));
  await runCommand(COMMANDS, {
    out,
    err: new PassThrough(),
    arguments: ["export", "--format", format],
    environment: {},
    version: "1.2.3",
    now: () => NOW,
    openChannel: () => Promise.resolve(channel),
  });
  return Buffer.concat(chunks).toString();
}

function entriesIn(text: string, format: OutlineFormat): readonly OutlineEntry[] {
  const read = readAll(readerOf(format, LIMITS), text);
  if (read.kind !== "read") throw new Error(read.reason);
  return read.entries;
}

/** A line with a mirror before it, one behind it, and one of a day; none of them is at the end. */
function planted(): Outline {
  const outline = soloOutline();
  const keys = plant(outline, "c(d) a(b) e(f)");
  const at = (name: string): NodeKey => keyOf(keys, name);
  outline.update(at("a"), { note: "said", layout: "todo", completed: true });
  const day = dayKey(2026, 11, 20);
  outline.create({ parent: day, name: "in a day" });
  for (const [of, parent] of [
    [at("a"), at("c")],
    [at("a"), at("e")],
    [day, at("e")],
    [at("e"), ROOT],
  ] as const) {
    expect(outline.mirror(of, { parent }).kind).toBe("created");
  }
  return outline;
}

test.each(["json", "opml"] as const)(
  "[C6, F9] mirrors that were exported as %s are mirrors again, and copies are mirrors of copies",
  async (format) => {
    const outline = planted();
    const text = await exported(outline, format);
    const entries = entriesIn(text, format);
    expect(entries.filter(({ origin }) => origin !== undefined)).toHaveLength(4);
    await service.admin.run("import", { user: "me" }, { input: entries });
    const once = await outlineOf(service.admin, "me");
    const withoutTimes = (entry: OutlineEntry): unknown => ({ ...entry, modifiedAt: 0 });
    expect(entriesOf(once).map(withoutTimes)).toEqual(entriesOf(outline).map(withoutTimes));
    if (format === "json") expect(idless(await exported(once, format))).toEqual(idless(text));

    await service.admin.run("import", { user: "me" }, { input: entries });
    const twice = await outlineOf(service.admin, "me");
    const copied = [...twice.nodesInOrder()].filter((node) => !once.has(node.key));
    const shown = copied.flatMap(({ name, origin }) => (origin === undefined ? [] : [name]));
    const day = twice.node(dayKey(2026, 11, 20))?.name;
    expect(shown.toSorted()).toEqual([day, "a", "a", "e"]);
    for (const { name, origin } of copied) {
      if (name === "a" || name === "e")
        expect(origin === undefined || !once.has(origin)).toBe(true);
    }
  },
);

/** The body of an export without what differs from outline to outline. */
function idless(text: string): unknown {
  const short = text.replaceAll(/"[0-9a-f-]{24}([0-9a-f]{12}")/g, '"$1');
  return JSON.parse(short.replaceAll(/"modifiedAt":[0-9]+/g, '"modifiedAt":0'));
}

test.each(["markdown", "text"] as const)(
  "[F9] in %s a mirror is a line that says what it shows",
  async (format) => {
    const entries = entriesIn(await exported(planted(), format), format);
    const names = entries.map(({ name }) => name);
    expect(names.filter((name) => name === "a")).toHaveLength(3);
    expect(names.filter((name) => name === "b")).toHaveLength(1);
    expect(entries.some(({ origin }) => origin !== undefined)).toBe(false);
  },
);

test("[F9] a mirror of what is not in the file, or is a mirror itself, is a line of its own", async () => {
  const mirror = (id: string, origin: string): object => ({
    id: `00000000-0000-8000-8000-${id}`,
    name: "shown",
    data: { mirror: { origin_id: `00000000-0000-8000-8000-${origin}` } },
  });
  const nodes = [
    mirror("aaaaaaaaaaa1", "aaaaaaaaaaa9"),
    mirror("aaaaaaaaaaa2", "aaaaaaaaaaa1"),
    mirror("aaaaaaaaaaa3", "aaaaaaaaaaa3"),
    { name: "odd", data: { mirror: { origin_id: null } } },
    { name: "odder", data: { mirror: [] } },
  ];
  const entries = entriesIn(JSON.stringify({ nodes }), "json");
  await service.admin.run("import", { user: "me" }, { input: entries });
  const outline = await outlineOf(service.admin, "me");
  expect([...outline.nodesInOrder()].map(({ name, origin }) => [name, origin])).toEqual(
    ["shown", "shown", "shown", "odd", "odder"].map((name) => [name, undefined]),
  );
});

test("[Q90, F9] a file with more mirrors than an outline may have is refused whole", async () => {
  const key = "aaaaaaaaaaaa" as NodeKey;
  const line = { depth: 0, name: "line", layout: "bullets" } as const;
  const mirrors = Array.from({ length: MAX_MIRRORS + 1 }, () => ({ ...line, origin: key }));
  const input = [{ ...line, key }, ...mirrors];
  const refused = await service.admin.run("import", { user: "me" }, { input });
  expect(refused).toMatchObject({ kind: "refused" });
  expect((await outlineOf(service.admin, "me")).size).toBe(0);
  const most = await service.admin.run("import", { user: "me" }, { input: input.slice(0, -1) });
  expect(most).toEqual({ kind: "done" });
});
