import * as Y from "yjs";
import type { Random } from "../../src/core/node-key.ts";
import type { StoredLease } from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";

/** Ids below belong to leases and seeds. */
const FIRST_FREE_CLIENT = 2 ** 28;
/** Structs that are written under one id: more make every sync of a part of them slower. */
const STRUCTS_EACH = 64_000;

export interface LeasePoolListener {
  /**
   * This tab is about to write under a lease that another may have had before it, and takes in what
   * that one has left. False when it can't know that: then the lease is not written under.
   */
  onClaimed(): Promise<boolean>;
  /** This tab writes under no lease, or under one that is used up: somebody has to ask for one. */
  onWanted(): void;
}

/**
 * The client ids that were leased to this device's store, one of which this tab writes under. Until
 * there is one, it writes under a random id that no lease can have.
 */
export class LeasePool {
  readonly #tabs: TabGroup;
  readonly #random: Random;
  readonly #listener: LeasePoolListener;
  #leases: readonly StoredLease[];
  #doc: Y.Doc;
  #mine: number | undefined;
  /** What this tab writes under: its lease or a random id. */
  #client = 0;
  #isClaiming = false;

  constructor(
    doc: Y.Doc,
    leases: readonly StoredLease[],
    tabs: TabGroup,
    random: Random,
    listener: LeasePoolListener,
  ) {
    this.#doc = doc;
    this.#leases = leases;
    this.#tabs = tabs;
    this.#random = random;
    this.#listener = listener;
    this.#leave();
  }

  /** All that the store was given, oldest first. */
  get leases(): readonly StoredLease[] {
    return this.#leases;
  }

  /** Whether this tab needs another id than it has. */
  get isWanting(): boolean {
    return this.#mine === undefined || !this.#isFree(this.#mine);
  }

  /** Leases have been added, or taken away with what they were for. */
  async set(leases: readonly StoredLease[]): Promise<void> {
    this.#note(leases);
    await this.renew();
  }

  /** The same, when the server has just leased what is added: nobody has written under it. */
  async granted(leases: readonly StoredLease[]): Promise<void> {
    const known = new Set(this.#leases.map(({ client }) => client));
    this.#note(leases);
    await this.#claim(
      leases.filter(({ client }) => !known.has(client)),
      () => Promise.resolve(true),
    );
  }

  /** Another document is written to from now on, under leases of its own. */
  follow(doc: Y.Doc, leases: readonly StoredLease[]): void {
    this.#doc = doc;
    this.#leases = leases;
    if (this.#mine !== undefined && leases.some(({ client }) => client === this.#mine)) {
      this.#writeUnder(this.#mine);
    } else this.#leave();
  }

  /**
   * To be called when structs of others have been applied: Yjs takes another id, any one, when some
   * of them come under the document's own. That must not be one that somebody was leased.
   */
  guard(): void {
    if (this.#doc.clientID === this.#client) return;
    this.#leave();
    void this.renew();
  }

  /** Takes a lease when this tab needs one: one that no other tab has, else it is wanted. */
  async renew(): Promise<void> {
    await this.#claim(this.#leases, () => this.#listener.onClaimed());
  }

  #note(leases: readonly StoredLease[]): void {
    this.#leases = leases;
    if (leases.every(({ client }) => client !== this.#doc.clientID)) this.#leave();
  }

  async #claim(leases: readonly StoredLease[], mayUse: () => Promise<boolean>): Promise<void> {
    if (this.#isClaiming || !this.isWanting) return;
    this.#isClaiming = true;
    try {
      const young = leases.map(({ client }) => client).filter((it) => this.#isFree(it));
      const client = young.length === 0 ? undefined : await this.#tabs.claimLease(young);
      const isUsable = client !== undefined && (await mayUse());
      // It may have been taken away meanwhile, or what was read is ahead of what is here.
      if (
        isUsable &&
        this.#leases.some((lease) => lease.client === client) &&
        this.#isFree(client)
      ) {
        this.#mine = client;
        this.#writeUnder(client);
      }
    } finally {
      this.#isClaiming = false;
    }
    if (this.isWanting) this.#listener.onWanted();
  }

  #leave(): void {
    this.#mine = undefined;
    const free = 2 ** 32 - FIRST_FREE_CLIENT;
    this.#writeUnder(FIRST_FREE_CLIENT + Math.floor(this.#random() * free));
  }

  #writeUnder(client: number): void {
    this.#client = client;
    this.#doc.clientID = client;
  }

  /** Whether it may be written under: it is not used up, and nothing of it waits for what is missing. */
  #isFree(client: number): boolean {
    const { store } = this.#doc;
    return Y.getState(store, client) < STRUCTS_EACH && !isWaited(store.pendingStructs, client);
  }
}

/** Whether structs of a client are known, but not what comes before them. */
function isWaited(pending: Y.Doc["store"]["pendingStructs"], client: number): boolean {
  if (pending === null) return false;
  const { structs } = Y.decodeUpdateV2(pending.update);
  return structs.some(({ id }) => id.client === client);
}
