import { expect, test } from "vitest";
import type * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { parsePlacement } from "../../src/core/tree/placement.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../src/core/merge/repair-steps.ts";
import { ATTRIBUTE, entryOf, nodesOf, textOf } from "../../src/core/schema.ts";
import { Device, Server } from "../support/replicas.ts";
import { runs } from "../support/runs.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

const YEAR_MS = 365 * 86_400_000;
/** How far the clocks of devices are off. */
const SKEWS = [0, 0, -700, 30_000, -30_000, 3_600_000, -3_600_000, YEAR_MS, -YEAR_MS];

/** What a program remembers of a node: all that `modifiedAt` tells of. */
function rememberedOf(outline: Outline, key: NodeKey): string {
  const node = outline.node(key);
  const text = textOf(nodesOf(outline.doc), key);
  const item = text && entryOf(text, ATTRIBUTE.placement);
  const placement = parsePlacement(String(item?.content.getContent().at(-1)));
  const { client, clock } = placement?.restates ?? item?.id ?? { client: 0, clock: 0 };
  const { name, note, layout, completedAt } = node ?? {};
  return JSON.stringify([name, note, layout, completedAt, client, clock]);
}

/** Asks again and again for what has changed since it last asked. */
class Poller {
  readonly #known = new Map<NodeKey, string>();
  #lookedAt = 0;
  missed = 0;
  seen = 0;
  /** How often a time was far ahead of now. */
  ahead = 0;

  /** @param nowSec by the server's clock, before it looks */
  look(outline: Outline, nowSec: number): void {
    for (const { key, modifiedAt } of outline.nodesInOrder()) {
      const now = rememberedOf(outline, key);
      if (modifiedAt > nowSec + 60) this.ahead++;
      if (modifiedAt >= this.#lookedAt) {
        if (this.#known.get(key) !== now) this.seen++;
        this.#known.set(key, now);
      } else if (this.#known.get(key) !== now) {
        this.missed++;
        this.#known.set(key, now);
      }
    }
    this.#lookedAt = nowSec;
  }
}

type Edit = (actor: Pick<Device, "outline" | "doc">, key: NodeKey, random: () => number) => void;

function nameOf({ doc }: Pick<Device, "doc">, key: NodeKey): Y.Text | undefined {
  return textOf(nodesOf(doc), key);
}

/** By clients that keep no time marks: past the outline's own operations. */
const RAW_EDITS: readonly Edit[] = [
  (actor, key) => nameOf(actor, key)?.insert(0, "x"),
  (actor, key) => {
    const text = nameOf(actor, key);
    if (text !== undefined && text.length > 0) text.delete(0, 1);
  },
];

/** As an editor does. */
const TYPING: readonly Edit[] = [
  ({ outline }, key) => outline.editText(key, "name", (text) => text.insert(text.length, "y")),
  ({ outline }, key) =>
    outline.editText(key, "name", (text) => text.delete(0, Math.min(1, text.length))),
];

const EDITS: readonly Edit[] = [
  ({ outline }, key, random) => outline.update(key, { note: `note ${integerBelow(random, 9)}` }),
  ({ outline }, key) => outline.update(key, { note: null }),
  ({ outline }, key, random) =>
    outline.update(key, { layout: oneOf(random, ["todo", "h1", "h2"]) }),
  ({ outline }, key, random) => outline.setCompleted(key, random() < 0.6),
  ({ outline }, key, random) => {
    const parent = oneOf(random, [ROOT, ...outline.keysInOrder()]);
    outline.move(key, { parent, position: "bottom" });
  },
  ({ outline }, key) => outline.create({ parent: key, name: "new" }),
  ({ outline }) => outline.create({ parent: ROOT, name: "" }),
];

function poll(seed: number, steps: RepairSteps = ALL_REPAIR_STEPS): Poller {
  const random = seededRandom(seed);
  let nowMs = Date.UTC(2026, 10, 20);
  const now = (): number => nowMs;
  const server = new Server({ client: 1, random, now }, steps);
  for (const name of ["a", "b", "c"]) server.outline.create({ parent: ROOT, name });
  const devices = Array.from({ length: 3 }, (_, index) => {
    const skew = oneOf(random, SKEWS);
    return new Device({ client: 10 + index, random, now: () => nowMs + skew });
  });
  const poller = new Poller();
  const pull = (device: Device): void => {
    for (const { update, from } of server.log.slice(device.seen)) {
      if (from !== device) device.receive(update);
    }
    device.seen = server.log.length;
  };
  const push = (device: Device): void => {
    for (const update of device.unsent.splice(0)) {
      if (!server.receive(update, device)) throw new Error("an update is missing");
      server.repair.run();
    }
  };
  const online = devices[0];
  for (let step = 0; step < 150; step++) {
    nowMs += random() < 0.1 ? integerBelow(random, 120_000) : integerBelow(random, 900);
    const device = oneOf(random, devices);
    const actor = random() < 0.15 ? server : device;
    const keys = [...actor.outline.keysInOrder()];
    const edits = actor === server ? EDITS : [...RAW_EDITS, ...TYPING, ...EDITS];
    if (random() < 0.6 && keys.length > 0) oneOf(random, edits)(actor, oneOf(random, keys), random);
    if (actor === server) server.repair.run();
    if (device === online || random() < 0.1) {
      push(device);
      pull(device);
    }
    if (random() < 0.2) poller.look(server.outline, Math.floor(nowMs / 1000));
    if (random() < 0.05) server.recordArrivals();
    if (random() < 0.05) server.saveSnapshot();
    if (random() < 0.05) {
      server.restart();
      server.repair.run();
    }
  }
  for (const device of devices) push(device);
  poller.look(server.outline, Math.floor(nowMs / 1000));
  server.recordArrivals();
  devices.forEach(pull);
  // Where devices have deleted text in trashed nodes nobody is told.
  for (const { outline } of devices) {
    for (const node of server.outline.nodesInOrder()) {
      expect(outline.node(node.key)?.modifiedAt).toBe(node.modifiedAt);
    }
  }
  return poller;
}

test("[M9, M10] who asks for what has changed since the last look misses nothing, whatever clocks devices have", () => {
  let seen = 0;
  for (let seed = 0; seed < runs(30, 120); seed++) {
    const poller = poll(seed);
    expect([seed, poller.missed, poller.ahead]).toEqual([seed, 0, 0]);
    seen += poller.seen;
  }
  expect(seen).toBeGreaterThan(runs(500, 2_000));
});

test("[D53, M9] without records of when things came it misses some", () => {
  const missed = Array.from({ length: 5 }, (_, seed) => {
    return poll(seed, { ...ALL_REPAIR_STEPS, recordArrivals: false }).missed;
  });
  expect(missed.reduce((sum, each) => sum + each)).toBeGreaterThan(20);
});
