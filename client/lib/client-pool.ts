import type * as Y from "yjs";
import type { Random } from "../../src/core/node-key.ts";
import { randomClient } from "../../src/core/yjs/random-client.ts";
import { changedClients, type ClientChange } from "./store/client-changes.ts";
import type { TabGroup } from "./tab-group.ts";
import { clockOf, isWaitedFor } from "../../src/core/yjs/struct-store.ts";

/** Structs that are written under one id: more make every sync of a part of them slower. */
const STRUCTS_EACH = 64_000;

export interface ClientPoolListener {
  /**
   * This tab is about to write under an id that another may have had before it, and takes in what that
   * one has left. False when it can't know that: then the id is not written under.
   */
  onTaken(): Promise<boolean>;
  /** This tab holds a new id, for itself and later tabs. */
  onNew(client: number): void;
}

/**
 * The client ids of this device's store, one of which this tab writes under. It takes one that no
 * other tab holds, else a new one at random. Where nothing can show which ids other tabs hold, it
 * writes under a random one of its own, which nobody takes after it.
 */
export class ClientPool {
  readonly #tabs: TabGroup;
  readonly #random: Random;
  readonly #listener: ClientPoolListener;
  #clients: readonly number[];
  #doc: Y.Doc;
  /** What this tab writes under. */
  #client = 0;
  /** Whether that is one of the store's, which this tab holds. */
  #isHeld = false;
  #isTaking = false;

  constructor(
    doc: Y.Doc,
    clients: readonly number[],
    tabs: TabGroup,
    random: Random,
    listener: ClientPoolListener,
  ) {
    this.#doc = doc;
    this.#clients = clients;
    this.#tabs = tabs;
    this.#random = random;
    this.#listener = listener;
    this.#leave();
  }

  /** Those of the store, oldest first. */
  get clients(): readonly number[] {
    return this.#clients;
  }

  /** The store has these. */
  async set(clients: readonly number[]): Promise<void> {
    const own = this.#isHeld ? [{ client: this.#client, isKept: true }] : [];
    this.#clients = changedClients(clients, own);
    await this.renew();
  }

  /** Where each of them stands in the document. */
  clocks(): ReadonlyMap<number, number> {
    return new Map(this.#clients.map((client) => [client, clockOf(this.#doc, client)]));
  }

  /** Those under which more is in the document than was. */
  grownSince(clocks: ReadonlyMap<number, number>): readonly number[] {
    return this.#clients.filter(
      (client) => clockOf(this.#doc, client) > (clocks.get(client) ?? Infinity),
    );
  }

  /** Other tabs have taken ids, or some must not be written under any more. */
  async change(changes: readonly ClientChange[]): Promise<void> {
    this.#clients = changedClients(this.#clients, changes);
    if (changes.some(({ client, isKept }) => !isKept && client === this.#client)) this.#leave();
    await this.renew();
  }

  /** Another document is written to from now on, under ids of its own. */
  follow(doc: Y.Doc, clients: readonly number[]): void {
    this.#doc = doc;
    this.#clients = clients;
    if (this.#isHeld && clients.includes(this.#client)) this.#writeUnder(this.#client);
    else this.#leave();
  }

  /**
   * To be called when structs of others have been applied: Yjs takes another id, any one, when some
   * of them come under the document's own. That must not be one that somebody else has.
   */
  guard(): void {
    if (this.#doc.clientID === this.#client) return;
    this.#leave();
    void this.renew();
  }

  /** Takes an id that this tab may go on with, when it has none. */
  async renew(): Promise<void> {
    if (this.#isTaking || (this.#isHeld && this.#isFree(this.#client))) return;
    this.#isTaking = true;
    try {
      if (this.#isHeld) this.#leave();
      await this.#take();
    } finally {
      this.#isTaking = false;
    }
  }

  async #take(): Promise<void> {
    for (const client of this.#clients) {
      if (!this.#isFree(client) || !(await this.#tabs.hold(client))) continue;
      if (!(await this.#listener.onTaken())) break;
      // It may have been given up meanwhile, or what was read is ahead of what is here.
      if (!this.#clients.includes(client) || !this.#isFree(client)) continue;
      this.#isHeld = true;
      return this.#writeUnder(client);
    }
    const client = this.#client;
    if (!(await this.#tabs.hold(client)) || client !== this.#client) return;
    this.#isHeld = true;
    this.#clients = changedClients(this.#clients, [{ client, isKept: true }]);
    this.#listener.onNew(client);
  }

  #leave(): void {
    this.#isHeld = false;
    this.#writeUnder(randomClient(this.#random));
  }

  #writeUnder(client: number): void {
    this.#client = client;
    this.#doc.clientID = client;
  }

  /** Whether it may be written under: it is not used up, and nothing of it waits for what is missing. */
  #isFree(client: number): boolean {
    return clockOf(this.#doc, client) < STRUCTS_EACH && !isWaitedFor(this.#doc, client);
  }
}
