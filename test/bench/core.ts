import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { Repair } from "../../src/core/merge/repair.ts";
import { inspectUpdate } from "../support/inspect-update.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../src/core/updates/update-limits.ts";
import { oneOf, seededRandom } from "../support/seeded-random.ts";
import { measureOpen } from "./core-open.ts";
import { measureSize } from "./core-size.ts";
import { cpuMs } from "./cpu-time.ts";
import { grownDocument, nameOf } from "./grown-document.ts";
import { median } from "./median.ts";

/**
 * What the core model costs at one size: CPU microseconds, the median of rounds in which each
 * operation has its turn and its floor the next; the bytes of one update.
 */
export interface CoreFigures {
  readonly nodes: number;
  /** A character at the end of a name, typed here. Its floor: the same in a document of Yjs alone. */
  readonly keystrokeUs: number;
  readonly bareKeystrokeUs: number;
  readonly keystrokeBytes: number;
  /** One from outside: judged, applied, indexed, looked at by repair. Its floor: `Y.applyUpdate`. */
  readonly receivedUs: number;
  readonly bareReceivedUs: number;
  /** A node at the end of a random one. Its floor: the same structs in a document of Yjs alone. */
  readonly createUs: number;
  readonly bareCreateUs: number;
  readonly createBytes: number;
  /** Of a random node to a random one. Its floor: Yjs alone, writing a register of that length. */
  readonly moveUs: number;
  readonly bareMoveUs: number;
  readonly moveBytes: number;
  /** One word of a name replaced. */
  readonly renameUs: number;
  /** A random node. Its floor: its text and its register, asked of Yjs alone. */
  readonly retrieveUs: number;
  readonly bareRetrieveUs: number;
  /** Twenty children of one node. */
  readonly list20Us: number;
}

const ROUNDS = 11;
const WARM_UP = 2;
const OPERATIONS = 400;
const LISTED = 20;
const REGISTER = "the place of a node";

interface Operation {
  readonly name: string;
  readonly run: () => void;
}

/** CPU microseconds of each operation by its name: all take turns, so that all have the same weather. */
function timed(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const rounds = new Map<string, number[]>(operations.map(({ name }) => [name, []]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const { name, run } of operations) {
      const start = cpuMs();
      for (let index = 0; index < OPERATIONS; index++) run();
      const us = ((cpuMs() - start) / OPERATIONS) * 1000;
      if (round >= 0) rounds.get(name)?.push(us);
    }
  }
  return new Map([...rounds].map(([name, values]) => [name, median(values)]));
}

/** An outline, and documents of the same state in Yjs alone. */
class Bench {
  readonly random: Random;
  readonly keys: readonly NodeKey[];
  readonly outline: Outline;
  readonly names: readonly string[];
  readonly #state: Uint8Array;
  #now = Date.UTC(2026, 5, 1);

  constructor(nodes: number, random: Random) {
    this.random = random;
    this.#state = grownDocument(nodes, random);
    const ports = { id: newOutlineId(random), now: () => (this.#now += 5), random };
    this.outline = Outline.attach(this.document(), ports);
    this.keys = [...this.outline.keysInOrder()];
    this.names = Array.from({ length: 100 }, () => nameOf(random));
  }

  document(): Y.Doc {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, this.#state);
    doc.clientID = 1_000;
    // Somebody wants every update, so Yjs encodes it.
    doc.on("update", () => undefined);
    return doc;
  }

  key(): NodeKey {
    return oneOf(this.random, this.keys);
  }

  name(): string {
    return oneOf(this.random, this.names);
  }
}

function textOf(doc: Y.Doc, key: NodeKey): Y.Text {
  const text = doc.getMap<Y.Text>("nodes").get(key);
  if (text === undefined) throw new Error("a node that was made is there");
  return text;
}

/** Mean bytes of the updates that `work` makes. */
function bytesOf(doc: Y.Doc, work: () => void): number {
  let bytes = 0;
  let updates = 0;
  const count = (update: Uint8Array): void => {
    bytes += update.byteLength;
    updates++;
  };
  doc.on("update", count);
  for (let index = 0; index < OPERATIONS; index++) work();
  doc.off("update", count);
  return Math.round(bytes / updates);
}

/** Writes what a create writes, and nothing else. */
function bareCreate(doc: Y.Doc, bench: Bench): () => void {
  const nodes = doc.getMap<Y.Text>("nodes");
  let count = 0;
  return () =>
    doc.transact(() => {
      const text = new Y.Text();
      nodes.set(`b${String(count++).padStart(11, "0")}`, text);
      text.insert(0, bench.name());
      text.setAttribute("p", REGISTER);
    });
}

/** The updates of a replica that types at the end of one name: as many as all rounds take. */
function typing(doc: Y.Doc, key: NodeKey): readonly Uint8Array[] {
  const text = textOf(doc, key);
  const updates: Uint8Array[] = [];
  doc.clientID = 2_000;
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (let index = 0; index < (WARM_UP + ROUNDS) * OPERATIONS; index++) {
    text.insert(text.length, "a");
  }
  return updates;
}

/** Takes one update after the other. */
function taking(updates: readonly Uint8Array[], take: (update: Uint8Array) => void): () => void {
  let next = 0;
  return () => {
    const update = updates[next++];
    if (update === undefined) throw new Error("there are as many updates as keystrokes");
    take(update);
  };
}

/** What `Documents` does with an update from outside, but for the log. */
function receiver(outline: Outline): (update: Uint8Array) => void {
  const repair = Repair.attach(outline);
  return (update) => {
    if (inspectUpdate(outline.doc, update, DEFAULT_UPDATE_LIMITS).kind !== "ok") {
      throw new Error("a keystroke is refused");
    }
    Y.applyUpdate(outline.doc, update);
    repair.run();
  };
}

/** Measures one size. Takes 8 s at 100,000 nodes and 90 s at 1,000,000, where it needs 8 GB. */
export function measureCore(nodes: number, seed = 1): CoreFigures {
  const bench = new Bench(nodes, seededRandom(seed));
  const { outline, random } = bench;
  const bare = bench.document();

  const create = (): void => {
    outline.create({ parent: bench.key(), name: bench.name(), position: "bottom" });
  };
  const move = (): void => {
    outline.move(bench.key(), { parent: bench.key() });
  };
  const typed = bench.key();
  const keystroke = (): void => {
    outline.editText(typed, "name", (text) => text.insert(text.length, "a"));
  };
  const rename = (): void => {
    const key = bench.key();
    const words = (outline.node(key)?.name ?? "").split(" ");
    words[Math.floor(random() * words.length)] = "changed";
    outline.update(key, { name: words.join(" ") });
  };
  const list = outline.create({ parent: ROOT, name: "list" });
  if (list.kind !== "created") throw new Error("the top level is there");
  for (let index = 0; index < LISTED; index++) {
    outline.create({ parent: list.key, name: bench.name() });
  }
  let sum = 0;
  const bareRetrieve = (): void => {
    const text = textOf(bare, bench.key());
    sum += text.toJSON().length + String(text.getAttribute("p")).length;
  };
  const bareText = textOf(bare, typed);
  const updates = typing(bench.document(), bench.key());

  const us = timed([
    { name: "retrieve", run: () => (sum += outline.node(bench.key())?.rank ?? 0) },
    { name: "bareRetrieve", run: bareRetrieve },
    { name: "list20", run: () => (sum += outline.children(list.key).length) },
  ]);
  const usOfWrites = timed([
    { name: "keystroke", run: keystroke },
    { name: "bareKeystroke", run: () => bareText.insert(bareText.length, "a") },
    { name: "received", run: taking(updates, receiver(outline)) },
    { name: "bareReceived", run: taking(updates, (update) => Y.applyUpdate(bare, update)) },
    { name: "create", run: create },
    { name: "bareCreate", run: bareCreate(bare, bench) },
    { name: "move", run: move },
    {
      name: "bareMove",
      run: () => textOf(bare, bench.key()).setAttribute("p", `${REGISTER} ${random()}`),
    },
    { name: "rename", run: rename },
  ]);
  if (sum === 0) throw new Error("nothing was read");
  const usOf = (name: string): number =>
    Math.round((us.get(name) ?? usOfWrites.get(name) ?? Number.NaN) * 100) / 100;

  return {
    nodes,
    keystrokeUs: usOf("keystroke"),
    bareKeystrokeUs: usOf("bareKeystroke"),
    keystrokeBytes: bytesOf(outline.doc, keystroke),
    receivedUs: usOf("received"),
    bareReceivedUs: usOf("bareReceived"),
    createUs: usOf("create"),
    bareCreateUs: usOf("bareCreate"),
    createBytes: bytesOf(outline.doc, create),
    moveUs: usOf("move"),
    bareMoveUs: usOf("bareMove"),
    moveBytes: bytesOf(outline.doc, move),
    renameUs: usOf("rename"),
    retrieveUs: usOf("retrieve"),
    bareRetrieveUs: usOf("bareRetrieve"),
    list20Us: usOf("list20"),
  };
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const [what = "core", ...sizes] = argv.slice(2);
  for (const nodes of sizes.length > 0 ? sizes.map(Number) : [1_000, 10_000, 100_000]) {
    if (what === "core") console.log(measureCore(nodes));
    else if (what === "open") console.log(await measureOpen(nodes));
    else console.log(measureSize(nodes, what === "history" ? "history" : "fresh"));
  }
}
