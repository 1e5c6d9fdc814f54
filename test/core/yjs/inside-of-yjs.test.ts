import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as Y from "yjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Fields that Yjs keeps for itself, and that are read or written here all the same. */
const PRIVATE_FIELDS = [
  "_item",
  "_length",
  "_map",
  "_mergeStructs",
  "_needFormattingCleanup",
  "_searchMarker",
  "_start",
  "_transaction",
];
/** After a dot, or taken out of an object. */
const USES = /(?:\.|\{ (?:\w+, )*)(_[a-z]\w*)\b/gi;
const FOLDER = join("src", "core", "yjs");

/** What Yjs stores by client, and how it is looked up there. */
const STORE = /\bstore\.clients\b|\bY\.(?:findIndexSS|getState|getItem)|\bpending(?:Structs|Ds)\b/;

/** What makes bytes of a document, and the files outside of the folder that may. */
const ENCODERS =
  /\bencodeState(?:AsUpdate|Vector)(?:V2)?\(|\bencodeSnapshot(?:V2)?\(|\bstateChunks\(|\bnew StateDiff\(/;
const ENCODING = [
  // The one that an open outline is encoded by.
  join("src", "documents", "replica", "outline-state.ts"),
  // Documents of their own, made whole from what is stored.
  join("src", "commands", "stored-outline.ts"),
  join("src", "store", "move-store.ts"),
];

/** The files of the program and the app, with what is in them. */
function* sources(...folders: readonly string[]): Generator<readonly [path: string, code: string]> {
  for (const folder of folders) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name)) continue;
      yield [join(folder, name), readFileSync(join(ROOT, folder, name), "utf8")];
    }
  }
}

test("[P121] yjs is of the one version whose inside is known", () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const installed = createRequire(import.meta.url)
    .resolve("yjs")
    .replace(/\/dist\/.*$/, "");
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect([dependencies.yjs, version]).toEqual(["13.6.33", "13.6.33"]);
});

test("[P121] no other private fields are used than those that are looked at here, and in one folder", () => {
  const used = new Set<string>();
  const users = new Set<string>();
  for (const [path, code] of sources("src", "client")) {
    for (const [, field] of code.matchAll(USES)) {
      used.add(String(field));
      users.add(dirname(path));
    }
  }
  expect([...used].sort()).toEqual(PRIVATE_FIELDS);
  expect([...users]).toEqual([FOLDER]);
});

test("[P121] what Yjs stores by client is read in one folder", () => {
  const readers = [...sources("src", "client")].filter(([, code]) => STORE.test(code));
  expect([...new Set(readers.map(([path]) => dirname(path)))]).toEqual([FOLDER]);
});

test("[P122] an open outline is encoded by its state alone", () => {
  const encoding = [...sources("src")].filter(([, code]) => ENCODERS.test(code));
  const outside = encoding.map(([path]) => path).filter((path) => dirname(path) !== FOLDER);
  expect(outside.sort()).toEqual(ENCODING.toSorted());
});

test("[P121] what a document keeps inside is where it is looked for", () => {
  const doc = new Y.Doc();
  doc.clientID = 7;
  const seen: object[] = [];
  doc.on("afterTransaction", (transaction: Y.Transaction) => {
    seen.push(transaction);
  });
  doc.on("beforeTransaction", (transaction: Y.Transaction) => {
    expect(doc._transaction).toBe(transaction);
  });
  const nodes = doc.getMap<Y.Text>("nodes");
  const text = new Y.Text("abcd");
  nodes.set("key", text);
  text.insert(2, "-");
  text.setAttribute("p", "place");
  text.delete(0, 1);

  const item = nodes._map.get("key");
  expect(item).toBe(text._item);
  expect(item).toMatchObject({ id: { client: 7, clock: 0 }, length: 1, deleted: false });
  expect(item).toMatchObject({ parent: nodes, parentSub: "key", origin: null, rightOrigin: null });
  expect(item?.content).toBeInstanceOf(Y.ContentType);
  expect(text._map.get("p")?.content).toBeInstanceOf(Y.ContentAny);
  expect([text._length, text._searchMarker]).toEqual([4, expect.any(Array)]);

  const pieces: (readonly [clock: number, length: number, isDeleted: boolean])[] = [];
  for (let piece = text._start; piece !== null; piece = piece.right) {
    pieces.push([piece.id.clock, piece.length, piece.deleted]);
    expect([piece.right?.left ?? piece, piece.parent]).toEqual([piece, text]);
  }
  expect(pieces).toEqual([
    [1, 1, true],
    [2, 1, false],
    [5, 1, false],
    [3, 2, false],
  ]);
  expect(Y.getItem(doc.store, Y.createID(7, 5))).toMatchObject({
    origin: { client: 7, clock: 2 },
    rightOrigin: { client: 7, clock: 3 },
  });

  // All structs of a client in one array, by clock and without gaps.
  const structs = doc.store.clients.get(7) ?? [];
  expect(structs.map(({ id, length }) => [id.clock, length])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 1],
    [6, 1],
  ]);
  expect([Y.getState(doc.store, 7), Y.findIndexSS(structs, 4)]).toEqual([7, 3]);
  expect([doc.store.pendingStructs, doc.store.pendingDs]).toEqual([null, null]);
  expect(seen.at(-1)).toMatchObject({
    beforeState: new Map([[7, 7]]),
    afterState: new Map([[7, 7]]),
    deleteSet: { clients: new Map([[7, [{ clock: 1, len: 1 }]]]) },
    _mergeStructs: expect.any(Array),
    _needFormattingCleanup: expect.any(Boolean),
  });
});
