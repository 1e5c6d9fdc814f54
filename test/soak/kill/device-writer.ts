import { setTimeout as delay } from "node:timers/promises";
import { newOutlineId, type NodeKey, type Random, ROOT } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import type { Done, Refusal } from "../../../src/core/refusal.ts";
import { oneOf } from "../../support/seeded-random.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import type { Ledger } from "./ledger.ts";
import { nodesIn, type TreeNode, treesOfOutline } from "./outline-tree.ts";
import { randomStep, type TreeStep } from "./tree-step.ts";
import type { WriterOptions } from "./writer-options.ts";

/** Between two keystrokes. */
const PAUSE_MS = 2;
/** So many edits wait for their acknowledgement at most. */
const MAX_UNSAVED = 8;
const LETTERS = ["a", "b", "c", "d", "e"];

/**
 * Edits its part of an outline as a new device with every connection, over a websocket, and forgets
 * all it had when the connection ends: what was acknowledged to it is on the server, or lost.
 */
export class DeviceWriter {
  readonly ledger: Ledger;
  readonly #key: string;
  readonly #random: Random;
  readonly #name: string;
  #steps = 0;

  constructor(options: WriterOptions) {
    this.ledger = options.ledger;
    this.#key = options.key;
    this.#random = options.random;
    this.#name = options.name;
  }

  /** @returns what was refused, in words */
  async writeUntil(url: string, isOver: () => boolean): Promise<string | undefined> {
    const device = new Device();
    const syncUrl = `${url.replace("http", "ws")}/sync/me`;
    const client = new SyncClient({ url: syncUrl, key: this.#key, device });
    const outline = Outline.attach(device.doc, {
      // Only the last digits of ids are compared.
      id: newOutlineId(this.#random),
      now: Date.now,
      random: this.#random,
      isDevice: true,
    });
    const home = this.ledger.latest.key;
    /** By the number of updates made: the number of the state that they lead to. */
    const stateAfter = [this.ledger.span.to];
    const isDead = (): boolean => client.closed !== undefined;
    for (;;) {
      // Acknowledgements that are under way when the server ends still count.
      const saved = stateAfter.length - 1 - client.unsaved;
      this.ledger.acknowledge(stateAfter[saved] ?? 0);
      if (isDead()) break;
      if (!isOver() && client.isLive && client.unsaved < MAX_UNSAVED) {
        const before = client.unsaved;
        this.#edit(outline);
        const state = treesOfOutline(outline, ROOT).find(({ key }) => key === home);
        if (state === undefined) throw new Error("the device has deleted all it had");
        // An edit that changes nothing makes none.
        const made = client.unsaved - before;
        if (made > 1) throw new Error(`an edit made ${made} updates`);
        if (made === 1) stateAfter.push(this.ledger.issue(state));
      }
      if (isOver() && client.unsaved === 0) break;
      await delay(PAUSE_MS);
    }
    outline.detach();
    client.kill();
    const [refusal] = client.refused;
    return refusal && `${this.#name}: ${refusal.code} ${refusal.reason}`;
  }

  #edit(outline: Outline): void {
    const { latest } = this.ledger;
    const text = `${this.#name} ${++this.#steps}`;
    // Mostly typing, as people do.
    if (this.#random() < 0.5 && latest.children.length > 0) {
      const { key } = oneOf(this.#random, [...nodesIn(latest)].slice(1));
      outline.editText(key as NodeKey, "name", (name) => {
        if (name.length > 40) name.delete(0, 8);
        else name.insert(name.length, oneOf(this.#random, LETTERS));
      });
      return;
    }
    take(outline, randomStep(latest, this.#random, text), latest);
  }
}

function take(outline: Outline, step: TreeStep, tree: TreeNode): void {
  const done = run(outline, step);
  if (done.kind === "created" || done.kind === "ok") return;
  throw new Error(`${JSON.stringify(step)}: ${done.kind} in ${JSON.stringify(tree)}`);
}

function run(outline: Outline, step: TreeStep): ReturnType<Outline["create"]> | Done | Refusal {
  switch (step.kind) {
    case "create": {
      const { name, position, parent } = step;
      return outline.create({ parent: parent as NodeKey, position, name });
    }
    case "rename":
      return outline.update(step.key as NodeKey, { name: step.name });
    case "note":
      return outline.update(step.key as NodeKey, { note: step.note });
    case "complete":
      return outline.setCompleted(step.key as NodeKey, step.completed);
    case "move": {
      const { key, position, parent } = step;
      return outline.move(key as NodeKey, { parent: parent as NodeKey, position });
    }
    case "delete":
      return outline.remove(step.key as NodeKey);
  }
}
