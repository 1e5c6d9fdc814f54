import { encodeDeletion } from "../../../../src/core/node/deletion-mark.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { withoutTurns } from "../mutants.ts";
import { keyOf, placement, plant, type PlantedNode, PlantingDoc, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 16;
const FULL = 240;
const CHILDREN = { long: 100_000, short: 30_000 };
/** Each node of a level has two mirrors of the one before: all of them would be a thousand million nodes. */
const LEVELS = 30;
/** With those of the levels as many as an outline may have over websockets. */
const MIRRORS = 3_900;
const DEPTH = 5_000;
/** Deletions and what takes them back, by websocket. */
const TOGGLES = 40;

const HUB = keyOf(0);
const ABOVE_HUB = keyOf(1);
const LARGE = keyOf(2);
const LISTED = keyOf(3);
const levelOf = (level: number): NodeKey => keyOf(100 + level);
const chainAt = (depth: number): NodeKey => keyOf(1_000 + depth);
let planting = new PlantingDoc();

/** What can be made of mirrors that costs more than it took to make. */
export const mirrors: Abuse = {
  name: "mirrors",
  fault:
    "mirrors of what has mirrors, of 100,000 children and far down are read in trees and documents, sixteen at a time, and 3,900 are hidden and shown",
  unit: "requests",
  full: FULL,
  short: 18,
  shortPeakMib: 300,
  mutants: withoutTurns,
  async prepare(site, amount) {
    planting = await plant(site, new Tally(), nodesOf(amount));
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, AT_ONCE);
    const reading = inParallel(amount, AT_ONCE, async (index) => {
      const path = PATHS[index % PATHS.length] ?? "";
      const { status } = await caller.call("GET", path, { key: site.readKey });
      tally.add(`read${status}`);
    });
    const updates = Array.from({ length: TOGGLES }, (_, index) => {
      const mark = index % 2 === 0 ? ({ kind: "trash", seen: "everything" } as const) : undefined;
      const time = { at: Date.UTC(2026, 2, 1) + index };
      planting.textOf(ABOVE_HUB).setAttribute("d", encodeDeletion(mark, time));
      return planting.take();
    });
    await sendAll(site, tally, updates.flat());
    await reading;
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "read200", amount),
};

const TOP = levelOf(LEVELS);
const PATHS = [
  `/api/v1/nodes/${TOP}/tree?depth=all&fields=name`,
  `/api/llm/doc/read/${TOP}/?depth=999999`,
  `/api/v1/nodes/${LISTED}/tree?depth=all`,
  `/api/v1/nodes/${chainAt(DEPTH - 1)}`,
  `/api/v1/nodes?parent_id=${LISTED}`,
  `/api/v1/search?q=-nothing&root=${LISTED}&include=count,path`,
];

function nodesOf(amount: number): readonly PlantedNode[] {
  const nodes: PlantedNode[] = [];
  let next = 1_000 + DEPTH;
  const add = (key: NodeKey, parent: NodeKey, origin?: NodeKey): void => {
    const place = placement(parent, nodes.length);
    nodes.push(origin === undefined ? { key, place, name: "n" } : { key, place, origin });
  };
  const mirror = (origin: NodeKey, parent: NodeKey): void => add(keyOf(next++), parent, origin);
  add(ABOVE_HUB, ROOT);
  add(HUB, ABOVE_HUB);
  add(LARGE, ROOT);
  add(LISTED, ROOT);
  for (let depth = 0; depth < DEPTH; depth++)
    add(chainAt(depth), depth === 0 ? ROOT : chainAt(depth - 1));
  add(levelOf(0), ROOT);
  for (let level = 1; level <= LEVELS; level++) {
    add(levelOf(level), ROOT);
    for (let twice = 0; twice < 2; twice++) mirror(levelOf(level - 1), levelOf(level));
  }
  for (let count = 0; count < MIRRORS - 2 * LEVELS; count++) {
    if (count % 3 === 0) mirror(HUB, LISTED);
    else if (count % 3 === 1) mirror(LARGE, LISTED);
    else mirror(chainAt(DEPTH - 1), chainAt(DEPTH - 2));
  }
  const children = amount >= FULL ? CHILDREN.long : CHILDREN.short;
  for (let count = 0; count < children; count++) add(keyOf(next++), LARGE);
  return nodes;
}
