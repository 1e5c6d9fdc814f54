import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { metaOf, nodesOf, SCHEMA_VERSION, textOf, VERSION } from "../../src/core/schema.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { levelFolders } from "../store/support/level-folder.ts";
import { Lab } from "../support/lab.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { addNode, namesIn, turns, workshop } from "./support/workshop.ts";

const SCHEMA_1 = fileURLToPath(new URL("../fixtures/outline-of-schema-1", import.meta.url));
const OUTLINE = "12dd23fadabb82fd9f56" as OutlineId;
const ANN = { keyId: "ann", session: {} };

const { newFolder, open } = levelFolders();

/** What somebody sees of the outline in the fixture. */
function shownIn(outline: Outline): unknown {
  return {
    nodes: outline
      .children(ROOT)
      .map(({ name, layout, completedAt }) => [name, layout, completedAt]),
    trash: outline.trashedKeys().map((key) => textOf(nodesOf(outline.doc), key)?.toJSON()),
    shortcuts: outline.shortcuts().map(({ key, node }) => [key, outline.node(node)?.name]),
    settings: outline.settings(),
  };
}

const SHOWN = {
  nodes: [
    ["plain", "bullets", null],
    ["heading", "h1", null],
    ["done", "bullets", 1_790_000_009],
    ["reopened", "bullets", null],
    ["restored", "bullets", null],
    ["target", "bullets", null],
  ],
  trash: ["trashed"],
  shortcuts: [["Work", "target"]],
  settings: { timezone: "Europe/Vienna", weekStart: 0 },
};

test("[D76] an outline of the first schema says the same, and is of the second once it is opened", async () => {
  const folder = await newFolder();
  await cp(SCHEMA_1, folder, { recursive: true });
  await rm(join(folder, "README.md"));
  const clock = new ManualClock();
  const store = await open(folder, { now: clock.now });
  const documentsOf = (): Documents =>
    new Documents({
      now: clock.now,
      elapsed: () => 0,
      random: Math.random,
      timers: clock,
      log: store.log,
    });
  const before = (await store.log.load(OUTLINE)).head;
  const documents = documentsOf();
  await documents.use(OUTLINE, async (document) => {
    expect(await document.read(shownIn)).toEqual(SHOWN);
    expect(await document.read(({ schemaVersion }) => schemaVersion)).toBe(SCHEMA_VERSION);
  });
  expect((await store.log.load(OUTLINE)).head).toBe(before + 1);
  await documents.close();
  const again = documentsOf();
  await again.use(OUTLINE, async (document) => {
    expect(await document.read(shownIn)).toEqual(SHOWN);
    await document.write((outline) => {
      for (const node of outline.children(ROOT)) {
        outline.update(node.key, { layout: "todo", completed: node.completedAt === null });
      }
    });
    const nodes = await document.read((outline) => outline.children(ROOT));
    expect(nodes.every(({ layout }) => layout === "todo")).toBe(true);
    expect(nodes.filter(({ completedAt }) => completedAt === null).map(({ name }) => name)).toEqual(
      ["done"],
    );
  });
  expect((await store.log.load(OUTLINE)).head).toBe(before + 2);
  await again.close();
  await store.close();
});

/** What a client writes that has all of the outline. */
function written(
  document: OutlineDocument,
  client: number,
  work: (doc: Y.Doc) => void,
): Uint8Array {
  const doc = outlineDoc(client);
  Y.applyUpdate(doc, fullUpdate(document.outline.doc));
  const vector = Y.encodeStateVector(doc);
  work(doc);
  return Y.encodeStateAsUpdate(doc, vector);
}

test("[D77] nobody but the server says another schema than there was", async () => {
  const { documents, id } = workshop();
  await documents.use(id, async (document) => {
    await addNode(document, "a");
    const version = (): number => document.outline.schemaVersion;
    expect(version()).toBe(SCHEMA_VERSION);
    for (const [index, nonsense] of [SCHEMA_VERSION + 1, 99, 0, -1, 1.5, "2", null].entries()) {
      const update = written(document, 3_000 + index, (doc) => metaOf(doc).set(VERSION, nonsense));
      expect(await document.receive(update, ANN)).toMatchObject({
        kind: "refused",
        reason: "not_allowed",
      });
    }
    expect(version()).toBe(SCHEMA_VERSION);
    // What an older program writes first, and what takes the entry away, is set right.
    for (const [index, work] of [
      (doc: Y.Doc) => void metaOf(doc).set(VERSION, 1),
      (doc: Y.Doc) => metaOf(doc).delete(VERSION),
    ].entries()) {
      const receipt = await document.receive(written(document, 3_100 + index, work), ANN);
      expect(receipt.kind).toBe("applied");
      expect(metaOf(document.outline.doc).get(VERSION)).toBe(SCHEMA_VERSION);
    }
  });
});

test("[D76] the first operation in an empty outline makes it one of this schema, on a device too", () => {
  const lab = new Lab("");
  const { outline, doc } = lab.device(0);
  outline.create({ parent: ROOT, name: "a" });
  expect(metaOf(doc).get(VERSION)).toBe(SCHEMA_VERSION);
  lab.meet();
  expect(lab.server.outline.schemaVersion).toBe(SCHEMA_VERSION);
});

test("[D9] an outline that a newer server has written is not opened, and nothing is written", async () => {
  const shop = workshop();
  const { documents, id, store } = shop;
  await documents.use(id, async (document) => {
    await addNode(document, "a");
    await document.write(({ doc }) => metaOf(doc).set(VERSION, SCHEMA_VERSION + 1));
  });
  await documents.close();
  const { head } = await store.log.load(id);
  const older = shop.again();
  await expect(older.open(id)).rejects.toMatchObject({ code: "outline_newer" });
  await turns();
  expect((await store.log.load(id)).head).toBe(head);
});

test("[D77] where somebody else wrote a newer schema, before that was refused, it counts for nothing", async () => {
  const shop = workshop();
  const { documents, id, store } = shop;
  await documents.use(id, async (document) => {
    await addNode(document, "a");
    const update = written(document, 3_000, (doc) => metaOf(doc).set(VERSION, 99));
    await store.log.append(id, { updates: [update], epoch: document.epoch });
  });
  await shop.again().use(id, async (document) => {
    expect(document.outline.schemaVersion).toBe(SCHEMA_VERSION);
    await addNode(document, "b");
    expect(await document.read(namesIn)).toEqual(["a", "b"]);
  });
});
