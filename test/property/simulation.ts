import * as Y from "yjs";
import type { ConflictRules } from "../../src/core/tree/conflict-rules.ts";
import { CONFLICT_RULES } from "../../src/core/tree/conflict-rules.ts";
import { ROOT, type Random } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { purge } from "../../src/core/purge.ts";
import {
  ALL_REPAIR_STEPS,
  type RepairKind,
  type RepairSteps,
} from "../../src/core/merge/repair-steps.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import { chooseAction, discard, EVERYDAY, STORM, type Actor, type Mix } from "./actions.ts";
import {
  assertEqual,
  assertIndex,
  assertNoBereft,
  assertSameLines,
  shownNodes,
} from "./invariants.ts";
import { Ledger } from "./ledger.ts";
import { Device, Server } from "../support/replicas.ts";

export interface SimulationOptions {
  readonly devices: number;
  readonly steps: number;
  readonly mix: Mix;
  /** Without repair only the rules that need no server are checked. */
  readonly repair: boolean;
  /** Devices also exchange updates among each other that the server does not have yet. */
  readonly gossip: boolean;
  readonly rules?: ConflictRules;
  readonly repairSteps?: RepairSteps;
}

/** How often things happened, by name. */
export type Counts = Record<string, number>;

/** The options that a seed stands for. */
export function optionsOf(seed: number): SimulationOptions {
  return {
    devices: 2 + (seed % 4),
    steps: 40 + ((seed * 7) % 120),
    mix: seed % 2 === 1 ? STORM : EVERYDAY,
    repair: seed % 3 !== 0,
    gossip: seed % 5 === 4,
  };
}

/**
 * Some devices and a server that edit one outline, meet now and then, and in the end all meet.
 * Throws when a rule does not hold; the message begins with the seed.
 */
export function simulate(seed: number, options = optionsOf(seed)): Counts {
  const simulation = new Simulation(seed, options);
  try {
    simulation.run();
    return simulation.counts;
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

class Simulation {
  readonly counts: Counts = {};
  readonly #options: SimulationOptions;
  readonly #random: Random;
  readonly #discardRandom: Random;
  readonly #ledger = new Ledger();
  readonly #server: Server;
  readonly #devices: readonly Device[];
  #now = Date.UTC(2026, 10, 20);
  /** Where nodes were shown when all replicas were last equal, by their register then. */
  #innocent = new Map<string, { readonly register: string; readonly parent: string }>();

  constructor(seed: number, options: SimulationOptions) {
    this.#options = options;
    this.#random = seededRandom(seed);
    this.#discardRandom = seededRandom(seed + 1_000_000);
    const random = this.#random;
    const { rules, repairSteps } = options;
    const clock = (): (() => number) => {
      const skew = random() < 0.3 ? integerBelow(random, 2000) - 1000 : 0;
      return () => (this.#now += integerBelow(random, 5)) + skew;
    };
    this.#server = new Server(
      { client: 1, random, now: clock(), rules },
      { ...ALL_REPAIR_STEPS, ...repairSteps, recordArrivals: options.repair },
    );
    this.#devices = Array.from(
      { length: options.devices },
      (_, index) => new Device({ client: 10 + index, random, now: clock(), rules }),
    );
  }

  run(): void {
    this.#plant();
    const syncAt = integerBelow(this.#random, this.#options.steps);
    for (let step = 0; step < this.#options.steps; step++) {
      if (step === syncAt) this.#meetAll();
      const actor = this.#chooseActor();
      this.#act(actor);
      if (step % 5 === 0) assertIndex(actor.outline);
      this.#chance();
    }
    this.#meetAll();
    this.#checkEnd();
  }

  /** A first outline that every device has. */
  #plant(): void {
    const { outline } = this.#server;
    const count = this.#options.mix === STORM ? 9 : 5;
    for (let index = 0; index < count; index++) {
      const result = outline.create({ parent: ROOT, position: "bottom", name: `n${index}` });
      if (result.kind === "created") this.#ledger.created(result.key);
    }
    for (const device of this.#devices) this.#pull(device);
  }

  #chooseActor(): Actor {
    if (this.#random() < 0.2) {
      return { outline: this.#server.outline, doc: this.#server.doc, seen: undefined };
    }
    const { outline, doc, seen } = oneOf(this.#random, this.#devices);
    return { outline, doc, seen };
  }

  #act(actor: Actor): void {
    const action = chooseAction(this.#options.mix, this.#random);
    const isServer = actor.seen === undefined;
    const measure = (update: Uint8Array): void => this.#count(`${action.name}Bytes`, update.length);
    actor.doc.on("update", measure);
    action(actor, { random: this.#random, ledger: this.#ledger, count: this.#count });
    actor.doc.off("update", measure);
    if (isServer) this.#repair();
    if ([...actor.outline.tree.fallenRows()].some((row) => actor.outline.tree.isCut(row))) {
      this.#count("stepsWithRing");
    }
  }

  /** What happens besides: the network, restarts, purges. */
  #chance(): void {
    const often = this.#options.mix === STORM ? 0.08 : 0.25;
    const random = this.#random;
    if (random() < often) this.#push(oneOf(random, this.#devices));
    if (random() < often) this.#pull(oneOf(random, this.#devices));
    if (this.#options.gossip && random() < often) this.#gossip();
    if (random() < 0.02) this.#now += 100_000;
    // With numbers of its own, so that a seed goes on meaning the same.
    if (this.#discardRandom() < 0.05) {
      const { outline, doc, seen } = oneOf(this.#discardRandom, this.#devices);
      const context = { random: this.#discardRandom, ledger: this.#ledger, count: this.#count };
      discard({ outline, doc, seen }, context);
    }
    if (random() < 0.03) this.#server.saveSnapshot();
    if (random() < 0.02) this.#restart();
    // With gossip a deleter may know of a move out of what is deleted before the server does: there
    // nothing is due for purging yet.
    if (!this.#options.gossip && random() < 0.04) this.#purge();
  }

  #push(device: Device): void {
    let updates = device.unsent.splice(0);
    // With gossip two devices' merged updates could each wait for the other's.
    if (updates.length > 1 && !this.#options.gossip && this.#random() < 0.3) {
      updates = [Y.mergeUpdates(updates)];
    }
    for (const [index, update] of updates.entries()) {
      if (!this.#server.receive(update, device)) {
        device.unsent.unshift(...updates.slice(index));
        this.#count("refused");
        return;
      }
      this.#checkWritingDown();
      this.#repair();
      if (this.#random() < 0.1) this.#server.receive(update, device);
    }
  }

  /** Delivers what a device lacks, some of it twice, and in any order. */
  #pull(device: Device): void {
    const updates = this.#server.log
      .slice(device.seen)
      .flatMap(({ update, from }) => (from === device ? [] : [update]));
    const delivered = this.#random() < 0.5 ? shuffle([...updates], this.#random) : updates;
    for (const update of delivered) {
      device.receive(update);
      if (this.#random() < 0.1) device.receive(update);
    }
    receiveAgain(device, updates);
    device.seen = this.#server.log.length;
  }

  #gossip(): void {
    const from = oneOf(this.#random, this.#devices);
    const to = oneOf(this.#random, this.#devices);
    for (const update of from.unsent) to.receive(update);
    this.#count("gossip");
  }

  #repair(): void {
    if (!this.#options.repair) return;
    const { repair } = this.#server;
    const before = { ...repair.counts };
    repair.run();
    for (const [kind, times] of Object.entries(repair.counts)) {
      const more = times - before[kind as RepairKind];
      if (more > 0) this.counts[kind] = (this.counts[kind] ?? 0) + more;
    }
    if (repair.run()) throw new Error("repair does not come to an end");
    const lasting = this.#server.outline.treeWriter.lastingFallen();
    if (lasting.length > 0) throw new Error("lasting fallen rows are not written down");
  }

  /** Writing down what is shown changes nothing that is shown. [I7 of the design] */
  #checkWritingDown(): void {
    const { outline, doc } = this.#server;
    if (!this.#options.repair || outline.treeWriter.lastingFallen().length === 0) return;
    if (this.#random() < 0.5) return;
    const parents = (): string =>
      [...outline.tree.rows()]
        .map((row) => `${row.key} ${row.parent?.key}`)
        .toSorted()
        .join();
    const before = parents();
    const order = [...outline.keysInOrder()].join();
    doc.transact(() => outline.treeWriter.writeDownFallen());
    if (parents() !== before) throw new Error("writing down changed a parent");
    if ([...outline.keysInOrder()].join() !== order) throw new Error("writing down reordered");
    this.#count("writtenDownAlone");
  }

  #restart(): void {
    this.#server.restart();
    this.#repair();
    this.#count("restarts");
  }

  #purge(): void {
    const { outline } = this.#server;
    const before = shownNodes(outline);
    const tokens = this.#ledger.findable(outline);
    const work = purge(outline, () => true);
    let removed = 0;
    for (;;) {
      const step = work.next();
      if (step.done !== true) continue;
      removed = step.value;
      break;
    }
    assertSameLines(shownNodes(outline), before, "purging changed what is shown");
    assertNoBereft(outline);
    this.#ledger.purged(outline, tokens);
    this.#repair();
    if (removed > 0) this.#count("purges");
  }

  #meetAll(): void {
    this.#checkInnocent(this.#server.outline);
    for (let round = 0; round < 4; round++) {
      for (let pass = 0; pass < this.#devices.length; pass++) {
        for (const device of this.#devices) this.#push(device);
      }
      for (const device of this.#devices) this.#pull(device);
    }
    // Until then the server alone knows when things came.
    if (this.#options.repair) this.#server.recordArrivals();
    for (const device of this.#devices) this.#pull(device);
    for (const device of this.#devices) {
      assertIndex(device.outline);
      assertEqual(device.outline, this.#server.outline, "after meeting");
    }
    this.#checkInnocent(this.#server.outline);
    const earlier = this.#options.repair ? this.#ledger.movedEarlier(this.#server.outline) : [];
    if (earlier.length > 0) throw new Error(`a later move was lost: ${earlier.join()}`);
    if (this.#options.repair) this.#checkRegisters(this.#server.outline);
    this.#innocent = new Map();
    for (const row of this.#server.outline.tree.rows()) {
      if (this.#server.outline.tree.fallenRows().size > 0) break;
      const parent = row.parent?.key ?? "";
      this.#innocent.set(row.key, { register: row.register, parent });
    }
  }

  /**
   * A node that nobody wrote to since all were equal is where it was then, unless its parent is gone:
   * of the moves that make a ring one of the racing ones gives way, never an old one.
   */
  #checkInnocent(outline: Outline): void {
    for (const [key, { register, parent }] of this.#innocent) {
      const row = [...outline.tree.rows()].find((each) => each.key === key);
      if (row === undefined || row.register !== register) continue;
      const isParentKnown = parent === ROOT || outline.tree.rowAt(row.key)?.parent !== undefined;
      if (isParentKnown && row.parent?.key !== parent && this.#knows(outline, parent)) {
        throw new Error(`${key} has been displaced`);
      }
    }
  }

  /** What was done last wins, and what was deleted for good stays so. */
  #checkRegisters(outline: Outline): void {
    const earlier = this.#ledger.wroteEarlier(outline);
    if (earlier.length > 0) throw new Error(`a later write was lost: ${earlier.join()}`);
    const revived = this.#ledger.revived(outline);
    if (revived.length > 0) throw new Error(`deleted for good and back: ${revived.join()}`);
  }

  #knows(outline: Outline, key: string): boolean {
    return key === ROOT || [...outline.tree.rows()].some((row) => row.key === key);
  }

  #checkEnd(): void {
    const { outline, log } = this.#server;
    assertIndex(outline);
    const shuffled = new Device({ client: 99, random: this.#random, now: () => this.#now });
    const rules = this.#options.rules ?? CONFLICT_RULES;
    if (rules === CONFLICT_RULES) {
      for (const { update } of shuffle([...log], this.#random)) shuffled.receive(update);
      receiveAgain(
        shuffled,
        log.map(({ update }) => update),
      );
      assertEqual(shuffled.outline, outline, "shuffled delivery");
    }
    const state = Y.encodeStateAsUpdate(this.#server.doc);
    const loaded = new Device({ client: 98, random: this.#random, now: () => this.#now, rules });
    loaded.receive(state);
    assertEqual(loaded.outline, outline, "one update");
    const vectorOf = ({ doc }: Outline): readonly string[] =>
      [...Y.decodeStateVector(Y.encodeStateVector(doc))]
        .map(([client, clock]) => `${client} ${clock}`)
        .toSorted();
    assertSameLines(vectorOf(loaded.outline), vectorOf(outline), "state vectors");
    const texts = this.#server.doc.getMap<Y.Text>("nodes");
    const garbled = this.#ledger.garbled((key) => texts.get(key)?.toJSON());
    if (garbled.length > 0) throw new Error(`typed text is not there once: ${garbled.join()}`);
    if (this.#options.repair) {
      const lost = this.#ledger.lost(outline);
      if (lost.length > 0) throw new Error(`lost: ${lost.join()}`);
      this.#checkReturned(outline);
      const unfindable = this.#ledger.unfindable(outline);
      if (unfindable.length > 0) throw new Error(`text is nowhere: ${unfindable.join()}`);
    }
    this.#count("runs");
    if ((this.counts["stepsWithRing"] ?? 0) > 0) this.#count("runsWithRing");
  }

  /** What was rescued out of a node is in it when that is there. */
  #checkReturned(outline: Outline): void {
    for (const [home, rows] of outline.tree.rescuedRows()) {
      const outside = [...rows].filter(({ key }) => !outline.contains(key, home));
      if (outline.has(home) && outside.length > 0) throw new Error(`not back in ${home}`);
    }
  }

  readonly #count = (what: string, times = 1): void => {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  };
}

function shuffle<T>(items: T[], random: Random): T[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = integerBelow(random, index + 1);
    const [a, b] = [items[index], items[other]];
    if (a !== undefined && b !== undefined) [items[index], items[other]] = [b, a];
  }
  return items;
}

/**
 * What Yjs has put aside it looks at again only when the one thing comes that it has noted as
 * missing. Now and then that came before: whoever still waits is sent everything once more.
 */
function receiveAgain(device: Device, updates: readonly Uint8Array[]): void {
  if (device.doc.store.pendingStructs === null) return;
  for (const update of updates) device.receive(update);
}
