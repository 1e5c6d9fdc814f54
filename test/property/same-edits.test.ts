import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../src/core/merge/repair-steps.ts";
import { permutationsOf } from "../support/permutations.ts";
import { type Device, Device as Replica, Server } from "../support/replicas.ts";
import { runs } from "../support/runs.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

const SEEDS = runs(24, 80);
const DEVICES = 3;

/** A change of one word of a text of many; the words at its sides stay as they are. */
interface Change {
  readonly word: number;
  readonly kind: "replace" | "insert" | "delete";
  /** Found nowhere else. */
  readonly token: string;
  /** Which devices make it. */
  readonly by: readonly number[];
}

/** How a device writes its changes: as the API does, or as an editor does, word by word. */
type Style = "rename" | "editor";

const STYLES: readonly Style[] = ["rename", "editor"];

interface Run {
  readonly words: readonly string[];
  readonly changes: readonly Change[];
  readonly styles: readonly Style[];
}

function runOf(seed: number): Run {
  const random = seededRandom(seed);
  const words = Array.from({ length: 24 }, (_, index) => `word${index}`);
  const styles = Array.from({ length: DEVICES }, () => oneOf(random, STYLES));
  // Of a word that is put between two others, or taken from there, the space before it or the one
  // behind it is new. An editor is told which one; who compares whole names chooses by what is around.
  const isTold = styles.every((style) => style === "editor");
  const changes: Change[] = [];
  for (let word = 1; word < words.length - 1; word += 3) {
    if (random() < 0.3) continue;
    const kind = isTold ? oneOf(random, ["replace", "insert", "delete"] as const) : "replace";
    changes.push({ word, kind, token: `token${word}x`, by: someOf(random) });
  }
  return { words, changes, styles };
}

function someOf(random: Random): readonly number[] {
  const all = Array.from({ length: DEVICES }, (_, index) => index);
  return random() < 0.4
    ? [integerBelow(random, DEVICES)]
    : all.filter((index) => index === 0 || random() < 0.7);
}

/** The words after some of the changes. */
function changed(words: readonly string[], changes: readonly Change[]): string {
  return words
    .flatMap((word, index) => {
      const change = changes.find((each) => each.word === index);
      if (change === undefined) return [word];
      if (change.kind === "delete") return [];
      return change.kind === "replace" ? [change.token] : [change.token, word];
    })
    .join(" ");
}

function edit(device: Device, key: NodeKey, run: Run, index: number): void {
  const own = run.changes.filter(({ by }) => by.includes(index));
  if (run.styles[index] === "rename") {
    device.outline.update(key, { name: changed(run.words, own) });
  } else {
    for (const { word, kind, token } of own) {
      device.outline.editText(key, "name", (text) => {
        const old = run.words[word] ?? "";
        const at = ` ${text.toJSON()} `.indexOf(` ${old} `);
        if (kind === "delete") text.delete(at, old.length + 1);
        if (kind === "insert") text.insert(at, `${token} `);
        if (kind !== "replace") return;
        text.delete(at, old.length);
        text.insert(at, token);
      });
    }
  }
  if (device.unsent.length > 0) device.unsent.push(Y.mergeUpdates(device.unsent.splice(0)));
}

function outcome(seed: number, order: readonly number[], steps?: RepairSteps): string {
  const run = runOf(seed);
  const random = seededRandom(seed);
  const now = (): number => Date.UTC(2026, 10, 20);
  const server = new Server({ client: 1, random, now }, steps);
  const devices = order.map((_, index) => new Replica({ client: 10 + index, random, now }));
  const made = server.outline.create({ parent: ROOT, name: run.words.join(" ") });
  if (made.kind !== "created") throw new Error(made.kind);
  const pull = (device: Device): void => {
    for (const { update } of server.log.slice(device.seen)) device.receive(update);
    device.seen = server.log.length;
  };
  for (const device of devices) pull(device);
  for (const [index, device] of devices.entries()) edit(device, made.key, run, index);
  for (const index of order) {
    const device = devices[index];
    for (const update of device?.unsent ?? []) {
      if (device === undefined || !server.receive(update, device)) throw new Error("not taken");
      server.repair.run();
      if (server.repair.run()) throw new Error("repair does not come to an end");
    }
  }
  for (const device of devices) pull(device);
  const names = [server, ...devices].map(({ outline }) => outline.node(made.key)?.name ?? "");
  if (new Set(names).size > 1) throw new Error(`seed ${seed}: replicas differ`);
  return names[0] ?? "";
}

/** What is wrong with what came of a seed's changes; undefined for nothing. */
function faultOf(seed: number, steps?: RepairSteps): string | undefined {
  const { words, changes } = runOf(seed);
  const orders = permutationsOf(Array.from({ length: DEVICES }, (_, index) => index));
  const wanted = changed(words, changes);
  const results = orders.map((order) => outcome(seed, order, steps));
  const wrong = results.find((result) => result !== wanted);
  return wrong === undefined ? undefined : `seed ${seed}: "${wrong}" and not "${wanted}"`;
}

test("[D80, D52] what several do to a text is there once, and what one alone wrote stays whole", () => {
  const faults = Array.from({ length: SEEDS }, (_, index) => faultOf(index + 1));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
}, 240_000);

test("[D53] a mutant is found: what two do alike is done twice", () => {
  const steps = { ...ALL_REPAIR_STEPS, doneTwice: false };
  const found = Array.from({ length: 5 }, (_, index) => faultOf(index + 1, steps));
  expect(found.some((fault) => fault !== undefined)).toBe(true);
});
