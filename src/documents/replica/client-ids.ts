import type * as Y from "yjs";
import { isSeedClient } from "../../core/calendar/month-seed.ts";
import type { OutlineFull } from "../../core/room/outline-full.ts";
import type { ClientRange } from "../../core/updates/update-guard.ts";
import type { Author } from "./author.ts";
import type { ClientBinding, ClientHolder } from "../log/outline-log.ts";
import { clockOf, structsOf } from "../../core/yjs/struct-store.ts";

/** Ids of one epoch. */
const EPOCH_IDS = 65_536;
/** Bound to its user when there is a device; neither servers nor devices write under it. */
const OF_THE_FIRST_DEVICE = 0;

/** The first id of a history; those of earlier ones are below it. */
export function firstIdOf(epochOrdinal: number): number {
  return epochOrdinal * EPOCH_IDS;
}

export interface ClientIdsOptions {
  readonly doc: Y.Doc;
  readonly bindings: ReadonlyMap<number, ClientHolder>;
  readonly epochOrdinal: number;
  /** Ids that may be in use although the log does not say so. */
  readonly uncertain: ReadonlySet<number>;
  readonly structsPerClient: number;
  readonly maxNewClients: number;
  readonly maxClients: number;
}

/**
 * Who may write under which Yjs client id. An id that two replicas write under corrupts documents
 * without a sign, so an id belongs to one holder for ever: the server or the outline's user. Which of
 * the user's connections writes under which is decided by `RoomWriters`.
 */
export class ClientIds {
  readonly #options: ClientIdsOptions;
  /** [Q58] */
  readonly #holders: Map<number, ClientHolder>;
  /** Own ids that were begun here, whether or not anything is written under them yet [Q58]. */
  readonly #given = new Set<number>();
  readonly #start: number;
  readonly #end: number;
  #next: number;
  #own: number;
  #isOwnBound: boolean;

  constructor(options: ClientIdsOptions) {
    this.#options = options;
    this.#holders = new Map(options.bindings);
    this.#start = firstIdOf(options.epochOrdinal);
    this.#end = this.#start + EPOCH_IDS;
    this.#next = Math.max(this.#start, 1);
    const known = this.#usableOwn(this.#start);
    this.#isOwnBound = known !== undefined;
    this.#own = known ?? this.#allocateOwn();
  }

  /**
   * Ids that may have been written under although the log does not show it, once the replica is
   * lost: an append whose outcome nobody knows may still arrive.
   */
  get uncertain(): readonly number[] {
    return [...this.#given, this.#own];
  }

  /** Whether anything but the server has an id: it may come back with edits of long ago. */
  get hasDevices(): boolean {
    for (const { kind } of this.#holders.values()) if (kind !== "server") return true;
    return false;
  }

  /** The id for the server's next transaction: one of its own that is not too full. */
  ownForWriting(): number {
    if (this.#sizeOf(this.#own) >= this.#options.structsPerClient) {
      this.#own = this.#allocateOwn();
      this.#isOwnBound = false;
    }
    return this.#own;
  }

  /** What must become durable with an update of the server's own: its id, the first time. */
  ownBindings(): readonly ClientBinding[] {
    if (this.#isOwnBound || this.#sizeOf(this.#own) === 0) return [];
    this.#isOwnBound = true;
    const binding: ClientBinding = { client: this.#own, holder: { kind: "server" } };
    this.bind([binding]);
    return [binding];
  }

  /**
   * The bindings that must become durable with what an author adds; `foreign` when one of the ids is
   * not the author's to use: the server's, or another connection's. That holds for what an author
   * repeats, too: where two copies of a store wrote under one id, and what the one wrote is deleted,
   * nothing shows that the other repeats something else.
   *
   * What the server wrote in an earlier history is anybody's to bring: what a restored backup lacks
   * of it comes back from whoever has it, and the server writes under other ids now. Whoever says
   * something else under the same clocks is refused by the guard.
   */
  authorise(
    {
      clients: ranges,
      saysOf,
    }: { readonly clients: readonly ClientRange[]; readonly saysOf: readonly number[] },
    author: Author,
  ): readonly ClientBinding[] | "foreign" | OutlineFull {
    const { maxNewClients, maxClients } = this.#options;
    const { writers } = author;
    if (writers?.isOwn === true && saysOf.some((client) => writers.isAnothers(client))) {
      return "foreign";
    }
    let bindings: ClientBinding[] | undefined;
    for (const { client } of ranges) {
      if (writers?.isAnothers(client) === true) return "foreign";
      const holder = this.#holders.get(client);
      if (holder === undefined) {
        bindings ??= [];
        if (client === this.#own || bindings.length === maxNewClients) return "foreign";
        bindings.push({ client, holder: { kind: "bound", keyId: author.keyId } });
      } else if (holder.kind === "server" && !this.isOfEarlierHistory(client)) {
        return "foreign";
      }
    }
    const has = this.#holders.size;
    const adds = bindings?.length ?? 0;
    if (adds > 0 && has + adds > maxClients) {
      return { kind: "outline_full", quota: "clients", has, adds, limit: maxClients };
    }
    if (writers?.isOwn === true) for (const { client } of ranges) writers.take(client);
    return bindings ?? NO_BINDINGS;
  }

  /** Nobody is given such an id any more, and the server writes under it no more. */
  isOfEarlierHistory(client: number): boolean {
    return client < this.#start;
  }

  /** Whether the server wrote under it in an earlier history. */
  wasServers(client: number): boolean {
    return this.isOfEarlierHistory(client) && this.#holders.get(client)?.kind === "server";
  }

  /** What must become durable when a device comes before any other, and has written nothing yet. */
  expectDevice({ keyId }: Author): readonly ClientBinding[] {
    if (this.hasDevices) return NO_BINDINGS;
    const binding: ClientBinding = {
      client: OF_THE_FIRST_DEVICE,
      holder: { kind: "bound", keyId },
    };
    this.bind([binding]);
    return [binding];
  }

  /** Keeps bindings that were added to the log. */
  bind(bindings: readonly ClientBinding[]): void {
    for (const { client, holder } of bindings) this.#holders.set(client, holder);
  }

  /**
   * Whether an id is the author's to be known by; undefined when it is nobody's yet, or was first used
   * with another key, which may have been replaced since.
   */
  isOf(client: number, author: Author): boolean | undefined {
    if (client === this.#own) return false;
    const holder = this.#holders.get(client);
    if (holder === undefined) return undefined;
    if (holder.kind === "server") return false;
    return holder.keyId === author.keyId || undefined;
  }

  /** The newest id of this epoch that the server wrote under and may go on with. */
  #usableOwn(start: number): number | undefined {
    let own: number | undefined;
    for (const [client, { kind }] of this.#holders) {
      if (kind !== "server" || client < start || client >= this.#end) continue;
      if (this.#options.uncertain.has(client) || client < (own ?? 0)) continue;
      if (this.#sizeOf(client) < this.#options.structsPerClient) own = client;
    }
    return own;
  }

  #sizeOf(client: number): number {
    return structsOf(this.#options.doc, client).length;
  }

  #allocateOwn(): number {
    const { doc, uncertain } = this.#options;
    for (; this.#next < this.#end; this.#next++) {
      const client = this.#next;
      const isTaken =
        client === this.#own ||
        this.#holders.has(client) ||
        uncertain.has(client) ||
        clockOf(doc, client) > 0 ||
        isSeedClient(client);
      if (isTaken) continue;
      this.#next++;
      this.#given.add(client);
      return client;
    }
    throw new Error("all client ids of this epoch are in use");
  }
}

/** Stays empty [Q58]. */
const NO_BINDINGS: readonly ClientBinding[] = [];
