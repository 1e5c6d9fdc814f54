import { setTimeout as delay } from "node:timers/promises";
import * as Y from "yjs";
import { encodeOrderInt } from "../../../src/core/tree/order-key.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { encodePlacement, type Placement } from "../../../src/core/tree/placement.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import type { Site } from "./abuse.ts";
import { openWriter, strangeClientId } from "./hostile-client.ts";
import { Tally } from "./tally.ts";

const CREATED_AT = Date.UTC(2026, 0, 1);

/** The key of the node number `index`, the same in every attack. */
export function keyOf(index: number): NodeKey {
  return (0x100000000000 + index).toString(16) as NodeKey;
}

/** A place for a node: last below its parent. */
export function placement(parent: NodeKey, order: number, move?: Placement["move"]): string {
  const place = { parent, createdAt: CREATED_AT, order: encodeOrderInt(order) };
  return encodePlacement({ ...place, ...(move !== undefined && { move }) });
}

export interface PlantedNode {
  readonly key: NodeKey;
  /** Its register, as in `placement`. */
  readonly place: string;
  readonly name?: string;
  /** What it is a mirror of. */
  readonly origin?: NodeKey;
}

/** Ten children a node, so many nodes below `parent`. */
export function treeOf(count: number, parent: NodeKey = ROOT, from = 0): readonly PlantedNode[] {
  return Array.from({ length: count }, (_, index) => ({
    key: keyOf(from + index),
    place: placement(index < 10 ? parent : keyOf(from + Math.floor(index / 10) - 1), index),
    name: `node number ${index} of an outline that is large`,
  }));
}

/** One replica of the attacker's, and the update for each change that was made to it. */
export class PlantingDoc {
  readonly doc = new Y.Doc();
  #updates: Uint8Array[] = [];

  constructor() {
    this.doc.clientID = strangeClientId();
    this.doc.on("update", (update: Uint8Array) => this.#updates.push(update));
  }

  /** What was changed since the last time. */
  take(): readonly Uint8Array[] {
    return this.#updates.splice(0);
  }

  plant(nodes: readonly PlantedNode[]): void {
    this.doc.transact(() => {
      for (const { key, place, name, origin } of nodes) {
        const text = new Y.Text(name);
        nodesOf(this.doc).set(key, text);
        text.setAttribute("p", place);
        if (origin !== undefined) text.setAttribute("r", origin);
      }
    });
  }

  textOf(key: NodeKey): Y.Text {
    const text = nodesOf(this.doc).get(key);
    if (text === undefined) throw new Error(`no node ${key}`);
    return text;
  }
}

/** Nodes that share an update: some hundred KB. */
const NODES_A_MESSAGE = 3_000;

/** Writes nodes over a websocket, and waits until the server has them. */
export async function plant(
  site: Site,
  tally: Tally,
  nodes: readonly PlantedNode[],
): Promise<PlantingDoc> {
  const planting = new PlantingDoc();
  const writer = await openWriter(site, tally);
  for (let from = 0; from < nodes.length; from += NODES_A_MESSAGE) {
    planting.plant(nodes.slice(from, from + NODES_A_MESSAGE));
    for (const update of planting.take()) writer.update(update);
    await writer.settled();
  }
  writer.end();
  return planting;
}

/** Sends updates one by one, so many in flight, and waits until all are judged. */
export async function sendAll(
  site: Site,
  tally: Tally,
  updates: Iterable<Uint8Array>,
  inFlight = 1,
): Promise<void> {
  const writer = await openWriter(site, tally);
  for (const update of updates) {
    writer.update(update);
    await writer.settled(inFlight - 1);
    if (!writer.isOpen) break;
  }
  await writer.settled();
  writer.end();
}

const AGAIN_MS = 1_000;

/** One node at the top with a long name; again, while other outlines leave no memory for it. */
export async function plantText(site: Site, key: NodeKey, name: string): Promise<void> {
  const planting = new PlantingDoc();
  planting.plant([{ key, place: placement(ROOT, 0), name }]);
  const updates = planting.take();
  for (;;) {
    const tally = new Tally();
    await sendAll(site, tally, updates);
    if (tally.get("refused_outline_full") === 0) return;
    await delay(AGAIN_MS);
  }
}

const LONG_NAME = "x".repeat(1_000);

/** As many MB of state as thousands of nodes, and still a small outline. */
export async function plantLongNames(site: Site, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => ({
    key: keyOf(index),
    place: placement(ROOT, index),
    name: `${index} ${LONG_NAME}`,
  }));
  await plant(site, new Tally(), nodes);
}
