import * as Y from "yjs";
import type { ConflictRules } from "../../src/core/tree/conflict-rules.ts";
import { isSeedClient } from "../../src/core/calendar/month-seed.ts";
import { newOutlineId, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { inOneGo } from "../../src/core/in-one-go.ts";
import { Repair } from "../../src/core/merge/repair.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../src/core/merge/repair-steps.ts";
import { inspectUpdate } from "./inspect-update.ts";

/** Where updates from the network come from, as the origin of their transactions. */
const NETWORK = Symbol("network");

export interface ReplicaOptions {
  readonly client: number;
  readonly random: Random;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly rules?: ConflictRules | undefined;
  readonly isDevice?: boolean;
}

function attach(doc: Y.Doc, { random, now, rules, isDevice = true }: ReplicaOptions): Outline {
  const id = newOutlineId(random);
  return Outline.attach(doc, { id, now, random, isDevice }, rules);
}

/** Fails when a local transaction wrote under somebody else's client id. [I8 of the design] */
function assertOwnWrites(transaction: Y.Transaction): void {
  if (!transaction.local) return;
  for (const [client, end] of transaction.afterState) {
    if ((transaction.beforeState.get(client) ?? 0) === end) continue;
    if (client !== transaction.doc.clientID && !isSeedClient(client)) {
      throw new Error(`a local write under client id ${client}`);
    }
  }
}

/** What a device knows and has not sent. */
export class Device {
  readonly doc = new Y.Doc();
  readonly outline: Outline;
  /** Own updates that the server does not have. */
  readonly unsent: Uint8Array[] = [];
  /** How much of the server's log it has. */
  seen = 0;

  constructor(options: ReplicaOptions) {
    this.doc.clientID = options.client;
    this.outline = attach(this.doc, options);
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== NETWORK) this.unsent.push(update);
    });
    this.doc.on("afterTransaction", assertOwnWrites);
  }

  receive(update: Uint8Array): void {
    Y.applyUpdate(this.doc, update, NETWORK);
  }
}

/** Whether an update builds on structs that a document does not have. */
function isAhead(doc: Y.Doc, update: Uint8Array): boolean {
  const { structs, ds } = Y.decodeUpdate(update);
  const ends = new Map<number, number>();
  for (const { id, length } of structs) {
    ends.set(id.client, Math.max(ends.get(id.client) ?? 0, id.clock + length));
  }
  const isThere = ({ client, clock }: Y.ID): boolean =>
    clock < Math.max(Y.getState(doc.store, client), ends.get(client) ?? 0);
  const starts = Y.parseUpdateMeta(update).from;
  for (const [client, start] of starts) if (start > Y.getState(doc.store, client)) return true;
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue;
    const needed = [struct.origin, struct.rightOrigin, struct.parent];
    if (needed.some((id) => id instanceof Y.ID && !isThere(id))) return true;
  }
  for (const [client, deleted] of ds.clients) {
    if (deleted.some(({ clock, len }) => !isThere({ client, clock: clock + len - 1 }))) return true;
  }
  return false;
}

interface Logged {
  readonly update: Uint8Array;
  readonly from: Device | undefined;
}

/** A server as the documents layer runs one: a log, repair after each update, snapshots. */
export class Server {
  readonly log: Logged[] = [];
  doc = new Y.Doc();
  outline: Outline;
  repair: Repair;
  readonly #options: ReplicaOptions;
  #steps: RepairSteps;
  #snapshot: { state: Uint8Array; annex: Uint8Array; seq: number } | undefined;
  #from: Device | undefined;

  constructor(options: ReplicaOptions, steps = ALL_REPAIR_STEPS) {
    this.#options = { ...options, isDevice: false };
    this.#steps = steps;
    this.doc.clientID = options.client;
    this.outline = attach(this.doc, this.#options);
    this.repair = Repair.attach(this.outline, undefined, steps);
    this.#follow();
  }

  /** False, and nothing has changed, when the update follows others that have not come yet. */
  receive(update: Uint8Array, from: Device): boolean {
    if (isAhead(this.doc, update)) return false;
    const inspection = inspectUpdate(this.doc, update);
    for (const { client, text } of inspection.kind === "ok" ? inspection.strayTexts : []) {
      this.repair.noteStrayText(`client ${client}`, text);
    }
    this.#from = from;
    if (inspection.kind === "ok") {
      const { clients, plan, deletedAgain } = inspection;
      const author = clients.length === 1 ? clients[0]?.client : undefined;
      const deletions = { author, fresh: plan.deletes, again: deletedAgain, ownSince: 0 };
      this.repair.noteDeletions(deletions);
    }
    Y.applyUpdate(this.doc, update, NETWORK);
    this.#from = undefined;
    if (this.doc.store.pendingStructs !== null) throw new Error("an update is pending");
    return true;
  }

  /** Writes down when everything came, as an outline does that goes quiet. */
  recordArrivals(): void {
    this.repair.recordSoon();
    this.repair.run();
  }

  /** Keeps the state, and forgets nothing else: a restart goes on from here. */
  saveSnapshot(): void {
    this.#snapshot = {
      state: Y.encodeStateAsUpdate(this.doc),
      annex: this.repair.encode(this.log.length),
      seq: this.log.length,
    };
  }

  /** Reads snapshot and log anew, as after a crash. @param steps other than before */
  restart(steps: Partial<RepairSteps> = {}): void {
    this.#steps = { ...this.#steps, ...steps };
    const doc = new Y.Doc();
    if (this.#snapshot !== undefined) Y.applyUpdate(doc, this.#snapshot.state, NETWORK);
    const tail = this.log.slice(this.#snapshot?.seq ?? 0);
    for (const { update } of tail) Y.applyUpdate(doc, update, NETWORK);
    // Only now: what comes from the log under the own id is nobody else's.
    doc.clientID = this.doc.clientID;
    this.doc.destroy();
    this.doc = doc;
    this.outline = attach(doc, this.#options);
    this.repair = Repair.attach(this.outline, this.#snapshot?.annex, this.#steps);
    let seq = this.#snapshot?.seq ?? 0;
    const logged = tail.map(({ update, from }) => {
      return { update, seq: ++seq, isOwn: () => from === undefined };
    });
    inOneGo(this.repair.replay(logged));
    this.#follow();
  }

  #follow(): void {
    this.doc.on("afterTransaction", assertOwnWrites);
    this.doc.on(
      "update",
      (update: Uint8Array, _origin: unknown, _doc: Y.Doc, transaction: Y.Transaction) => {
        this.log.push({ update, from: this.#from });
        const ends = [...transaction.afterState].filter(
          ([client, end]) => transaction.beforeState.get(client) !== end,
        );
        this.repair.record(ends, this.log.length);
      },
    );
  }
}
