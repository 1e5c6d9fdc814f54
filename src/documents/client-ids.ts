import type * as Y from "yjs";
import { isSeedClient } from "../core/month-seed.ts";
import type { OutlineFull } from "../core/outline-full.ts";
import type { ClientRange } from "../core/update-guard.ts";
import type { Author } from "./author.ts";
import type { ClientBinding, ClientHolder } from "./outline-log.ts";

/** Ids of one epoch. */
const EPOCH_IDS = 65_536;
/**
 * The last ids of an epoch are not leased. Some are the server's own: without one it could not write
 * at all.
 */
const NOT_LEASED = 25_536;

/** The first id of a history; those of earlier ones are below it. */
export function firstIdOf(epochOrdinal: number): number {
  return epochOrdinal * EPOCH_IDS;
}

const DAY_S = 24 * 60 * 60;

/** Why no id is leased. */
export type LeaseRefusal =
  /** Of today's there are none left, for the key or for all. */
  | "too_many"
  /** There are none left until leases are old that nothing was written under. */
  | "none_left";

export interface ClientIdsOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly doc: Y.Doc;
  readonly bindings: ReadonlyMap<number, ClientHolder>;
  readonly epochOrdinal: number;
  /** Ids that may be in use although the log does not say so. */
  readonly uncertain: ReadonlySet<number>;
  readonly structsPerLease: number;
  readonly leasesPerKeyAndDay: number;
  readonly leasesPerDay: number;
  readonly unusedLeaseMs: number;
  readonly maxNewClients: number;
  readonly maxClients: number;
  readonly maxLeases: number;
}

/** A session that has shown what its store knows. */
interface Claim {
  readonly client: number;
  readonly secretHash: string;
}

/**
 * Who may write under which Yjs client id. An id that two replicas write under corrupts documents
 * without a sign, so an id belongs to one holder for ever; this is where that is decided.
 */
export class ClientIds {
  readonly #options: ClientIdsOptions;
  /** [Q58] */
  readonly #holders: Map<number, ClientHolder>;
  /** How many of them are no leases. */
  #bound = 0;
  /** Leased ids that a session has shown to hold. */
  readonly #claims = new WeakMap<object, Claim[]>();
  /** Ids given out here, whether or not anybody has written under them yet [Q58]. */
  readonly #given = new Set<number>();
  /** The leases of the last day, oldest first [Q58]. */
  readonly #today: { readonly keyId: string; readonly grantedAt: number }[];
  readonly #start: number;
  readonly #end: number;
  #next: number;
  #own: number;
  #isOwnBound: boolean;

  constructor(options: ClientIdsOptions) {
    this.#options = options;
    this.#holders = new Map(options.bindings);
    this.#today = leasesSince(this.#nowSec - DAY_S, options.bindings);
    for (const { kind } of this.#holders.values()) if (kind !== "lease") this.#bound++;
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
    if (this.#sizeOf(this.#own) >= this.#options.structsPerLease) {
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
   * not the author's to use: the server's, or another store's lease.
   *
   * The ids of an earlier history are anybody's to bring: what a restored backup lacks under them
   * comes back from whoever has it, and who wrote it may never come, or is the server, which writes
   * under others now. Whoever says something else under the same clocks is refused by the guard.
   */
  authorise(
    ranges: readonly ClientRange[],
    author: Author,
  ): readonly ClientBinding[] | "foreign" | OutlineFull {
    const { maxNewClients, maxClients } = this.#options;
    let bindings: ClientBinding[] | undefined;
    for (const { client } of ranges) {
      const holder = this.#holders.get(client);
      if (holder === undefined) {
        bindings ??= [];
        if (client === this.#own || bindings.length === maxNewClients) return "foreign";
        bindings.push({ client, holder: { kind: "bound", keyId: author.keyId } });
      } else if (!this.isOfEarlierHistory(client) && !this.#mayUse(client, holder, author)) {
        return "foreign";
      }
    }
    const has = this.#bound;
    const adds = bindings?.length ?? 0;
    if (adds > 0 && has + adds > maxClients) {
      return { kind: "outline_full", quota: "clients", has, adds, limit: maxClients };
    }
    return bindings ?? NO_BINDINGS;
  }

  /** Nobody is given such an id any more, and the server writes under it no more. */
  isOfEarlierHistory(client: number): boolean {
    return client < this.#start;
  }

  /** How many clocks of these somebody brings back that others wrote in an earlier history. */
  broughtBack(ranges: readonly ClientRange[], author: Author): number {
    let count = 0;
    for (const { client, from, to } of ranges) {
      if (!this.isOfEarlierHistory(client)) continue;
      const holder = this.#holders.get(client);
      if (holder !== undefined && !this.#mayUse(client, holder, author)) count += to - from;
    }
    return count;
  }

  /** Keeps bindings that were added to the log. */
  bind(bindings: readonly ClientBinding[]): void {
    for (const { client, holder } of bindings) {
      const before = this.#holders.get(client);
      if (before !== undefined && before.kind !== "lease") this.#bound--;
      if (holder.kind !== "lease") this.#bound++;
      this.#holders.set(client, holder);
    }
  }

  /**
   * An id for a device's store that nobody has written under, and nobody will who had it before. It may
   * be told once the binding is durable.
   */
  lease({ keyId }: Author, secretHash: string): ClientBinding | LeaseRefusal {
    if (!this.#mayLease(keyId)) return "too_many";
    const client = this.#newLease() ?? this.#unusedLease();
    if (client === undefined) return "none_left";
    const grantedAt = this.#nowSec;
    const binding = { client, holder: { kind: "lease", keyId, secretHash, grantedAt } } as const;
    this.bind([binding]);
    this.#today.push({ keyId, grantedAt });
    return binding;
  }

  /** Lets a session write under a leased id when it knows the store's secret. */
  claim(client: number, { session }: Author, secretHash: string): "ok" | "unknown" {
    const holder = this.#holders.get(client);
    if (holder?.kind !== "lease" || holder.secretHash !== secretHash) return "unknown";
    const claims = this.#claims.get(session) ?? [];
    if (!this.#hasClaimed(session, client, holder)) {
      this.#claims.set(session, [...claims, { client, secretHash }]);
    }
    return "ok";
  }

  /**
   * Whether an id is the author's to be known by; undefined when it is nobody's yet, or was first used
   * with another key, which may have been replaced since.
   */
  isOf(client: number, author: Author): boolean | undefined {
    if (client === this.#own) return false;
    const holder = this.#holders.get(client);
    if (holder === undefined) return undefined;
    if (holder.kind === "bound") return holder.keyId === author.keyId || undefined;
    return this.#mayUse(client, holder, author);
  }

  get #nowSec(): number {
    return Math.floor(this.#options.now() / 1000);
  }

  #mayLease(keyId: string): boolean {
    const { leasesPerDay, leasesPerKeyAndDay } = this.#options;
    const since = this.#nowSec - DAY_S;
    while ((this.#today[0]?.grantedAt ?? Infinity) <= since) this.#today.shift();
    if (this.#today.length >= leasesPerDay) return false;
    const ofKey = this.#today.filter((lease) => lease.keyId === keyId);
    return ofKey.length < leasesPerKeyAndDay;
  }

  #newLease(): number | undefined {
    const leases = this.#holders.size - this.#bound;
    return leases < this.#options.maxLeases ? this.#allocate(this.#end - NOT_LEASED) : undefined;
  }

  /**
   * The oldest lease that nothing was ever written under, if it is old. Its store may still come, with
   * edits under the id that nobody has seen: it is told that the id is not its own, gets another, and
   * writes them anew, which it does with what a copy has displaced.
   */
  #unusedLease(): number | undefined {
    const before = this.#nowSec - this.#options.unusedLeaseMs / 1000;
    let oldest: number | undefined;
    let oldestAt = before;
    for (const [client, holder] of this.#holders) {
      if (holder.kind !== "lease" || client < this.#start || client >= this.#end) continue;
      const { grantedAt = 0 } = holder;
      if (grantedAt >= oldestAt || this.#sizeOf(client) > 0) continue;
      if (this.#given.has(client) || this.#options.uncertain.has(client)) continue;
      oldest = client;
      oldestAt = grantedAt;
    }
    if (oldest !== undefined) this.#given.add(oldest);
    return oldest;
  }

  #hasClaimed(
    session: object,
    client: number,
    { secretHash }: { readonly secretHash: string },
  ): boolean {
    const claims = this.#claims.get(session) ?? [];
    return claims.some((claim) => claim.client === client && claim.secretHash === secretHash);
  }

  /** All keys of an outline are its user's: whether one may write at all is asked elsewhere. */
  #mayUse(client: number, holder: ClientHolder, { session }: Author): boolean {
    switch (holder.kind) {
      case "server":
        return false;
      case "lease":
        return this.#hasClaimed(session, client, holder);
      case "bound":
        return true;
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

  #allocateOwn(): number {
    const client = this.#allocate(this.#end);
    if (client === undefined) throw new Error("all client ids of this epoch are in use");
    return client;
  }

  #allocate(end: number): number | undefined {
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
      this.#given.add(client);
      return client;
    }
    return undefined;
  }
}

/** Stays empty [Q58]. */
const NO_BINDINGS: readonly ClientBinding[] = [];

function leasesSince(
  since: number,
  bindings: ReadonlyMap<number, ClientHolder>,
): { keyId: string; grantedAt: number }[] {
  const leases: { keyId: string; grantedAt: number }[] = [];
  for (const holder of bindings.values()) {
    if (holder.kind !== "lease" || (holder.grantedAt ?? 0) <= since) continue;
    leases.push({ keyId: holder.keyId, grantedAt: holder.grantedAt ?? 0 });
  }
  return leases.sort((one, other) => one.grantedAt - other.grantedAt);
}
