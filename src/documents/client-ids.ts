import type * as Y from "yjs";
import { isSeedClient } from "../core/month-seed.ts";
import type { ClientRange } from "../core/update-guard.ts";
import type { Author } from "./author.ts";
import type { ClientBinding, ClientHolder } from "./outline-log.ts";

/** Ids of one epoch. */
const EPOCH_IDS = 65_536;
/**
 * The last ids of an epoch are not leased. Some are the server's own: without one it could not write
 * at all. And with those that are bound (`maxClients`) all stay below 65,536: no client could tell what
 * it has of more.
 */
const NOT_LEASED = 25_536;

export interface ClientIdsOptions {
  readonly doc: Y.Doc;
  readonly bindings: ReadonlyMap<number, ClientHolder>;
  readonly epochOrdinal: number;
  /** Ids that may be in use although the log does not say so. */
  readonly uncertain: ReadonlySet<number>;
  readonly structsPerLease: number;
  readonly maxNewClients: number;
  readonly maxClients: number;
}

/**
 * Who may write under which Yjs client id. An id that two replicas write under corrupts documents
 * without a sign, so an id belongs to one holder for ever; this is where that is decided.
 */
export class ClientIds {
  readonly #options: ClientIdsOptions;
  readonly #holders: Map<number, ClientHolder>;
  /** Leased ids that a session has shown to hold. */
  readonly #claims = new WeakMap<object, Set<number>>();
  /** Ids given out here, whether or not anybody has written under them yet. */
  readonly #given: number[] = [];
  readonly #end: number;
  #next: number;
  #own: number;
  #isOwnBound: boolean;

  constructor(options: ClientIdsOptions) {
    this.#options = options;
    this.#holders = new Map(options.bindings);
    const start = options.epochOrdinal * EPOCH_IDS;
    this.#end = start + EPOCH_IDS;
    this.#next = Math.max(start, 1);
    const known = this.#usableOwn(start);
    this.#isOwnBound = known !== undefined;
    this.#own = known ?? this.#allocate(this.#end);
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
    if (this.#sizeOf(this.#own) >= this.#options.structsPerLease) {
      this.#own = this.#allocate(this.#end);
      this.#isOwnBound = false;
    }
    return this.#own;
  }

  /** What must become durable with an update of the server's own: its id, the first time. */
  ownBindings(): readonly ClientBinding[] {
    if (this.#isOwnBound || this.#sizeOf(this.#own) === 0) return [];
    this.#isOwnBound = true;
    const binding: ClientBinding = { client: this.#own, holder: { kind: "server" } };
    this.#holders.set(binding.client, binding.holder);
    return [binding];
  }

  /**
   * The bindings that must become durable with what an author adds; undefined when one of the ids is
   * not the author's to use: the server's, another store's lease, or first used by another key.
   */
  authorise(ranges: readonly ClientRange[], author: Author): readonly ClientBinding[] | undefined {
    let bindings: ClientBinding[] | undefined;
    for (const { client } of ranges) {
      const holder = this.#holders.get(client);
      if (holder === undefined) {
        bindings ??= [];
        if (client === this.#own || !this.#hasRoomFor(bindings.length + 1)) return undefined;
        bindings.push({ client, holder: { kind: "bound", keyId: author.keyId } });
      } else if (!this.#mayUse(client, holder, author)) {
        return undefined;
      }
    }
    return bindings ?? NO_BINDINGS;
  }

  /** Keeps bindings that were added to the log. */
  bind(bindings: readonly ClientBinding[]): void {
    for (const { client, holder } of bindings) this.#holders.set(client, holder);
  }

  /** A fresh id for a device's store. It may be told once the binding is durable. */
  lease(author: Author, secretHash: string): ClientBinding {
    const client = this.#allocate(this.#end - NOT_LEASED);
    const holder: ClientHolder = { kind: "lease", keyId: author.keyId, secretHash };
    this.#holders.set(client, holder);
    return { client, holder };
  }

  /** Lets a session write under a leased id when it knows the store's secret. */
  claim(client: number, { session }: Author, secretHash: string): "ok" | "unknown" {
    const holder = this.#holders.get(client);
    if (holder?.kind !== "lease" || holder.secretHash !== secretHash) return "unknown";
    const claims = this.#claims.get(session);
    if (claims === undefined) this.#claims.set(session, new Set([client]));
    else claims.add(client);
    return "ok";
  }

  #hasRoomFor(count: number): boolean {
    const { maxNewClients, maxClients } = this.#options;
    return count <= maxNewClients && this.#holders.size + count <= maxClients;
  }

  #mayUse(client: number, holder: ClientHolder, { keyId, session }: Author): boolean {
    switch (holder.kind) {
      case "server":
        return false;
      case "lease":
        return this.#claims.get(session)?.has(client) ?? false;
      case "bound":
        return holder.keyId === keyId;
      default:
        return holder satisfies never;
    }
  }

  /** The newest id of this epoch that the server wrote under and may go on with. */
  #usableOwn(start: number): number | undefined {
    let own: number | undefined;
    for (const [client, { kind }] of this.#holders) {
      if (kind !== "server" || client < start || client >= this.#end) continue;
      if (this.#options.uncertain.has(client) || client < (own ?? 0)) continue;
      if (this.#sizeOf(client) < this.#options.structsPerLease) own = client;
    }
    return own;
  }

  #sizeOf(client: number): number {
    return this.#options.doc.store.clients.get(client)?.length ?? 0;
  }

  #allocate(end: number): number {
    const { doc, uncertain } = this.#options;
    for (; this.#next < end; this.#next++) {
      const client = this.#next;
      const isTaken =
        client === this.#own ||
        this.#holders.has(client) ||
        uncertain.has(client) ||
        doc.store.clients.has(client) ||
        isSeedClient(client);
      if (isTaken) continue;
      this.#next++;
      this.#given.push(client);
      return client;
    }
    throw new Error("all client ids of this epoch are in use");
  }
}

const NO_BINDINGS: readonly ClientBinding[] = [];
