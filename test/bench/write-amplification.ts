import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { setImmediate as yieldNow } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { meaningOf } from "../../src/store/key-meaning.ts";
import { openLevelDatabase } from "../../src/store/level/level-database.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

export interface WriteAmplification {
  /** Bytes handed to LevelDB, snapshots and all, for each byte of the log's entries. */
  readonly stored: number;
  /** Bytes that LevelDB wrote to its files for each byte of the entries: its own log and tables too. */
  readonly written: number;
  /** Bytes of an entry, its key and checksum too, for each byte of the update in it. */
  readonly entry: number;
  readonly snapshots: number;
}

/** So many edits a node: more than it takes for several snapshots. */
const EDITS_PER_NODE = 5;
const LEAST_EDITS = 20_000;
const LETTERS = "e t a o i n s h r d l u".split(" ");
/** Edits that become durable together: otherwise most of the time goes into fsync. */
const TOGETHER = 200;

const TIMERS = {
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
  yieldNow: () => yieldNow(),
};

/**
 * What is written to the disk while people edit an outline of some size, snapshots included, for each
 * byte that the log grows by: keystrokes above all, then renames, new nodes and moves, each of them an
 * update of its own.
 */
export async function benchWriteAmplification(nodes: number): Promise<WriteAmplification> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const random = seededRandom(1);
  const counted = { updates: 0, entries: 0, stored: 0, snapshots: 0 };
  const store = await LevelStore.open(folder, {
    now: Date.now,
    randomBytes,
    openDatabase: async (path, options) => {
      const database = await openLevelDatabase(path, options);
      return {
        ...database,
        write(operations) {
          for (const { key, value } of operations) {
            const bytes = key.length + (value?.byteLength ?? 0);
            counted.stored += bytes;
            if (value !== undefined && meaningOf(key).kind === "update") counted.entries += bytes;
          }
          return database.write(operations);
        },
      };
    },
  });
  const documents = new Documents({
    log: store.log,
    now: Date.now,
    random,
    timers: TIMERS,
    events: {
      onCommit: (_ms, _count, bytes) => (counted.updates += bytes),
      onCompaction: () => (counted.snapshots += 1),
    },
  });
  try {
    const id = newOutlineId(random);
    const { document, release } = await documents.open(id);
    const keys = await document.bulk((outline) => plant(outline, nodes));
    const before = { ...counted, written: await writtenBytes() };
    const edits = Math.max(LEAST_EDITS, EDITS_PER_NODE * nodes);
    for (let done = 0; done < edits; done += TOGETHER) await edit(document, keys, random);
    release();
    // Waits for the snapshot that is under way.
    await documents.close();
    const entries = counted.entries - before.entries;
    return {
      stored: (counted.stored - before.stored) / entries,
      written: ((await writtenBytes()) - before.written) / entries,
      entry: entries / (counted.updates - before.updates),
      snapshots: counted.snapshots - before.snapshots,
    };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Bytes that this process has written to files so far. */
async function writtenBytes(): Promise<number> {
  const io = await readFile("/proc/self/io", "utf8");
  return Number(/^wchar: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);
}

function* plant(outline: Outline, nodes: number): Generator<void, NodeKey[]> {
  const keys: NodeKey[] = [];
  for (let index = 0; index < nodes; index++) {
    const parent = keys[Math.floor(index / 10) - 1] ?? ROOT;
    const name = [{ insert: `${index} a name of usual length, as people write them` }];
    keys.push(outline.createPlain({ parent, position: "bottom", name }));
    yield;
  }
  return keys;
}

/** Some edits, each an update of its own, made durable together. */
async function edit(document: OutlineDocument, keys: NodeKey[], random: Random): Promise<void> {
  const written: Promise<unknown>[] = [];
  for (let count = 0; count < TOGETHER; count++) {
    written.push(document.write((outline) => editOnce(outline, keys, random)));
    // Which does it at once.
    written.push(document.read(() => undefined));
  }
  await Promise.all(written);
}

function editOnce(outline: Outline, keys: NodeKey[], random: Random): void {
  const key = oneOf(random, keys);
  const kind = random();
  if (kind < 0.8) {
    outline.editText(key, "name", (text) => {
      text.insert(integerBelow(random, text.length + 1), oneOf(random, LETTERS));
    });
  } else if (kind < 0.9) {
    const node = outline.node(key);
    if (node !== undefined) outline.update(key, { name: `${node.name.slice(0, 40)} and more` });
  } else if (kind < 0.97) {
    const created = outline.create({ parent: key, name: "something new that came up meanwhile" });
    if (created.kind === "created") keys.push(created.key);
  } else {
    outline.move(key, { parent: oneOf(random, keys), position: "bottom" });
  }
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  for (const nodes of argv.slice(2).map(Number)) {
    console.table([{ nodes, ...(await benchWriteAmplification(nodes)) }]);
  }
}
