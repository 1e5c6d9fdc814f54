import { argv, cpuUsage, memoryUsage } from "node:process";
import { pathToFileURL } from "node:url";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

/** What the core model costs at one size. Times are CPU, sizes exact, heap after a collection. */
export interface CoreFigures {
  readonly nodes: number;
  readonly bytesPerNode: number;
  readonly heapPerNode: number;
  readonly indexHeapPerNode: number;
  readonly indexMs: number;
  /** What Yjs alone takes for the structs of a create: the floor of the others. */
  readonly bareCreateUs: number;
  readonly createUs: number;
  readonly createBytes: number;
  /** What Yjs alone takes for writing an attribute of a random node. */
  readonly bareMoveUs: number;
  readonly moveUs: number;
  readonly moveBytes: number;
  readonly renameUs: number;
  readonly keystrokeUs: number;
  readonly keystrokeBytes: number;
  readonly retrieveUs: number;
  readonly list100Us: number;
  readonly inOrderMs: number;
}

const WORDS = "the of and to in is you that it he was for on are as with his they at be".split(" ");

function nameOf(random: Random): string {
  const length = 30 + integerBelow(random, 31);
  let name = oneOf(random, WORDS);
  while (name.length < length) name += ` ${oneOf(random, WORDS)}`;
  return name.slice(0, length).trim();
}

/** CPU milliseconds, this thread's and its helpers'. */
function cpuMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return memoryUsage().heapUsed;
}

const BATCHES = 4;

/** CPU microseconds for each of `count` calls: the best of some batches, the first warm up. */
function timed(count: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = cpuMs();
    for (let index = 0; index < count; index++) work();
    best = Math.min(best, ((cpuMs() - start) / count) * 1000);
  }
  return best;
}

/** A document with `count` nodes, ten children a node or random parents, as one import makes it. */
export function grownDocument(count: number, random: Random): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = 1;
  let now = Date.UTC(2026, 0, 1);
  const outline = Outline.attach(doc, { id: newOutlineId(random), now: () => now, random });
  const keys: NodeKey[] = [];
  for (let start = 0; start < count; start += 1000) {
    doc.transact(() => {
      for (let index = start; index < Math.min(count, start + 1000); index++) {
        now += 37;
        const at = random() < 0.3 ? integerBelow(random, index) : Math.floor(index / 10) - 1;
        const name = nameOf(random);
        const isBold = random() < 0.1;
        keys.push(
          outline.createPlain({
            parent: keys[at] ?? ROOT,
            position: "bottom",
            name: isBold
              ? [{ insert: name.slice(0, 8), attributes: { b: true } }, { insert: name.slice(8) }]
              : [{ insert: name }],
            note: random() < 0.1 ? [{ insert: nameOf(random) }] : [],
            completedAt: random() < 0.05 ? Math.floor(now / 1000) : null,
          }),
        );
      }
    });
  }
  return Y.encodeStateAsUpdate(doc);
}

export function measureCore(nodes: number, seed = 1): CoreFigures {
  const random = seededRandom(seed);
  const state = grownDocument(nodes, random);
  const heapBefore = heapBytes();
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  doc.clientID = 2;
  const heapOfDocument = heapBytes() - heapBefore;
  let now = Date.UTC(2026, 5, 1);
  const ports = { id: newOutlineId(random), now: () => (now += 5), random };
  const start = cpuMs();
  const outline = Outline.attach(doc, ports);
  const indexMs = cpuMs() - start;
  const heapOfIndex = heapBytes() - heapBefore - heapOfDocument;

  let bytes = 0;
  let updates = 0;
  doc.on("update", (update: Uint8Array) => {
    bytes += update.length;
    updates++;
  });
  const sized = (work: () => number): { us: number; bytes: number } => {
    bytes = 0;
    updates = 0;
    const us = work();
    return { us, bytes: Math.round(bytes / updates) };
  };
  const keys = [...outline.keysInOrder()];
  const key = (): NodeKey => oneOf(random, keys);
  const rounds = 3000;
  const names = Array.from({ length: 100 }, () => nameOf(random));

  const create = sized(() =>
    timed(rounds, () => {
      outline.create({ parent: key(), name: oneOf(random, names), position: "bottom" });
    }),
  );
  const nodeTexts = doc.getMap<Y.Text>("nodes");
  const bareCreate = timed(rounds, () => {
    doc.transact(() => {
      const text = new Y.Text();
      nodeTexts.set(`z${integerBelow(random, 2 ** 30)}`, text);
      text.insert(0, oneOf(random, names));
      text.setAttribute("p", "a register of about its length");
    });
  });
  const move = sized(() => timed(rounds, () => outline.move(key(), { parent: key() })));
  const bareMove = timed(rounds, () => {
    nodeTexts.get(key())?.setAttribute("z", `a register of about its length, ${random()}`);
  });
  const rename = timed(rounds, () => {
    const target = key();
    const words = (outline.node(target)?.name ?? "").split(" ");
    words[integerBelow(random, words.length)] = "changed";
    outline.update(target, { name: words.join(" ") });
  });
  const typed = nodeTexts.get(key());
  const keystroke = sized(() => timed(rounds, () => typed?.insert(typed.length, "a")));
  const retrieve = timed(rounds, () => outline.node(key()));
  const list = outline.create({ parent: ROOT, name: "list" });
  for (let index = 0; index < 100 && list.kind === "created"; index++) {
    outline.create({ parent: list.key, name: oneOf(random, names) });
  }
  const list100 = timed(500, () => list.kind === "created" && outline.children(list.key));
  const orderStart = cpuMs();
  let seen = 0;
  for (const node of outline.nodesInOrder()) if (node.name !== "") seen++;
  const inOrderMs = cpuMs() - orderStart;
  if (seen < nodes / 2) throw new Error("the outline is not whole");

  return {
    nodes,
    bytesPerNode: Math.round((state.length / nodes) * 10) / 10,
    heapPerNode: Math.round((heapOfDocument + heapOfIndex) / nodes),
    indexHeapPerNode: Math.round(heapOfIndex / nodes),
    indexMs: Math.round(indexMs),
    bareCreateUs: round(bareCreate),
    createUs: round(create.us),
    createBytes: create.bytes,
    bareMoveUs: round(bareMove),
    moveUs: round(move.us),
    moveBytes: move.bytes,
    renameUs: round(rename),
    keystrokeUs: round(keystroke.us),
    keystrokeBytes: keystroke.bytes,
    retrieveUs: round(retrieve),
    list100Us: round(list100),
    inOrderMs: Math.round(inOrderMs),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const sizes = argv.slice(2).map(Number);
  const rows = (sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]).map((nodes) =>
    measureCore(nodes),
  );
  console.table(
    Object.fromEntries(
      Object.keys(rows[0] ?? {}).map((name) => [
        name,
        Object.fromEntries(rows.map((row) => [row.nodes, row[name as keyof CoreFigures]])),
      ]),
    ),
  );
}
