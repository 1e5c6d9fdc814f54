import { Allowance } from "../charges/allowance.ts";
import type { Author } from "../documents/replica/author.ts";
import type { Presence } from "../protocol/awareness-update.ts";
import {
  encodeAwarenessUpdate,
  GONE,
  isGone,
  isPresenceState,
  readAwarenessUpdate,
} from "../protocol/awareness-update.ts";

export interface PresenceLimits {
  readonly presenceBytes: number;
  readonly presencesPerSecond: number;
  readonly presenceBytesPerSecond: number;
}

/** Whether a client id is an author's; undefined when it is nobody's, or nobody knows now. */
export type IsClientOf = (client: number, author: Author) => boolean | undefined;

export type PresenceReceipt =
  | { readonly kind: "ok" }
  | { readonly kind: "malformed" }
  | { readonly kind: "too_large" }
  /** The others would not believe this presence; the message makes its client send a newer one. */
  | { readonly kind: "outdated"; readonly answer: Uint8Array };

/** What goes to everybody, except to a lone author. */
export interface PresenceBroadcast {
  readonly updates: readonly Uint8Array[];
  readonly loneAuthor: object | undefined;
}

interface Seat {
  readonly author: Author;
  readonly client: number;
  readonly allowance: Allowance;
  clock: number;
  state: Uint8Array;
}

const MAX_PRESENCES = 1000;
const MAX_UPDATE_BYTES = 512 * 1024;
const PRESENCES_PER_UPDATE = 64;
const MAX_DEPARTED = 256;
/** Clients count theirs up from 0. Above, there would be none left for who has the id. */
const MAX_CLOCK = 2 ** 40;
/** What is sent at once, to all receivers together: a millisecond's work or two. One presence at least. */
const BYTES_AT_ONCE = 1024 * 1024;
const LONGEST_REST_MS = 10_000;
const OK: PresenceReceipt = { kind: "ok" };

/**
 * Who is there: the presences of an outline's connections. Each connection has one client id, that
 * of the first presence it sends, unless that is somebody else's to write under; what it sends of
 * others is left aside, as stock clients repeat all they hear. An id that is nobody's yet is of who
 * shows it first, until somebody comes who writes under it. Only the newest state of each is kept, and
 * passed on as often as its author may.
 */
export class RoomPresence {
  readonly #limits: PresenceLimits;
  readonly #isClientOf: IsClientOf;
  /** One for each session at most [Q59]. */
  readonly #byClient = new Map<number, Seat>();
  /** [Q59] */
  readonly #bySession = new Map<object, Seat>();
  /** Clocks of those who left: receivers take no older presence of them [Q59]. */
  readonly #departed = new Map<number, number>();
  /** Those that are there, and those that have left since the last turn [Q59]. */
  readonly #changed = new Set<Seat>();
  /** Until then nothing is passed on: so long what was passed on last is paid for. */
  #restsUntil = 0;

  constructor(limits: PresenceLimits, isClientOf: IsClientOf) {
    this.#limits = limits;
    this.#isClientOf = isClientOf;
  }

  /** True while something waits for `takeChanges`. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Takes in what a session sent. */
  receive(author: Author, update: Uint8Array): PresenceReceipt {
    if (update.length > MAX_UPDATE_BYTES) return { kind: "too_large" };
    const presences = readAwarenessUpdate(update, { maxPresences: MAX_PRESENCES });
    if (presences === undefined) return { kind: "malformed" };
    const seat = this.#bySession.get(author.session);
    if (seat === undefined) return this.#seat(author, presences);
    const own = presences.find(({ client }) => client === seat.client);
    if (own === undefined || !isNews(own, seat)) return OK;
    return this.#accept(own, () => seat);
  }

  /** The session has closed: its presence ends for everybody. */
  leave(session: object): void {
    const seat = this.#bySession.get(session);
    if (seat !== undefined) this.#expel(seat);
  }

  /** It is known again whose the client ids are: who shows one of somebody else's shows it no more. */
  review(isClientOf: IsClientOf): void {
    for (const seat of this.#byClient.values()) {
      if (isClientOf(seat.client, seat.author) === false) this.#expel(seat);
    }
  }

  /**
   * What is to be passed on now; presences whose author sends too many stay for a later call, and all
   * for which too many bytes would be sent. Those that wait come in turn.
   * @param receivers how many it will be sent to
   */
  takeChanges(now: number, receivers: number): PresenceBroadcast | undefined {
    if (!this.mayTell(now)) return undefined;
    const due: Seat[] = [];
    let bytes = 0;
    for (const seat of this.#changed) {
      const next = bytes + seat.state.length * receivers;
      if (due.length > 0 && next > BYTES_AT_ONCE) break;
      if (this.#bySession.has(seat.author.session) && seat.allowance.take(now) > 0) continue;
      bytes = next;
      due.push(seat);
    }
    if (due.length === 0) return undefined;
    for (const seat of due) this.#changed.delete(seat);
    this.#charge(bytes, now);
    const loneAuthor = due.length === 1 ? due[0]?.author.session : undefined;
    return { updates: encoded(due), loneAuthor };
  }

  /** Whether what was told last is paid for. */
  mayTell(now: number): boolean {
    const restMs = this.#restsUntil - now;
    // What is further away is of a clock that was set back since.
    return restMs <= 0 || restMs > LONGEST_REST_MS;
  }

  /** Everybody who is there, for one who comes or asks. */
  everybody(now: number): readonly Uint8Array[] {
    const there = [...this.#byClient.values()].filter(({ state }) => !isGone(state));
    const bytes = there.reduce((sum, { state }) => sum + state.length, 0);
    this.#charge(bytes, now);
    return encoded(there);
  }

  #charge(bytes: number, now: number): void {
    const paidInMs = Math.floor((bytes * 1_000) / this.#limits.presenceBytesPerSecond);
    this.#restsUntil = now + Math.min(LONGEST_REST_MS, paidInMs);
  }

  /** Gives the session the client id of the first presence that can be its own. */
  #seat(author: Author, presences: readonly Presence[]): PresenceReceipt {
    for (const presence of presences) {
      const { client, clock, state } = presence;
      const isOwn = this.#isClientOf(client, author);
      if (isGone(state) || isOwn === false) continue;
      const first = this.#byClient.get(client);
      // Who writes under the id is no longer kept from it by who was only first.
      if (
        isOwn === true &&
        first !== undefined &&
        this.#isClientOf(client, first.author) !== true
      ) {
        this.#expel(first);
      }
      const held = this.#byClient.get(client);
      if (held !== undefined && held.author.keyId !== author.keyId) continue;
      const knownClock = held?.clock ?? this.#departed.get(client);
      if (knownClock === undefined || clock > knownClock) {
        return this.#accept(presence, () => {
          if (held !== undefined) this.#unseat(held);
          return this.#newSeat(author, client);
        });
      }
      // Somebody who is there, repeated by a client without a presence of its own.
      if (held !== undefined) continue;
      // A client that is back counts from where it was, which the others know already. Being told
      // that it is gone makes it say with a greater clock that it is there.
      const gone = encodeAwarenessUpdate([{ client, clock: knownClock, state: GONE }]);
      return { kind: "outdated", answer: gone };
    }
    return OK;
  }

  #accept(presence: Presence, seat: () => Seat): PresenceReceipt {
    if (presence.state.length > this.#limits.presenceBytes) return { kind: "too_large" };
    if (!isPresenceState(presence.state)) return { kind: "malformed" };
    if (presence.clock > MAX_CLOCK) return { kind: "malformed" };
    const accepted = seat();
    accepted.clock = presence.clock;
    accepted.state = presence.state.slice();
    this.#changed.add(accepted);
    return OK;
  }

  #newSeat(author: Author, client: number): Seat {
    const perSecond = this.#limits.presencesPerSecond;
    const allowance = new Allowance({ count: 2 * perSecond, windowMs: 2000 });
    const seat: Seat = { author, client, allowance, clock: 0, state: GONE };
    this.#byClient.set(client, seat);
    this.#bySession.set(author.session, seat);
    this.#departed.delete(client);
    return seat;
  }

  /** Its presence ends for everybody. */
  #expel(seat: Seat): void {
    this.#unseat(seat);
    if (isGone(seat.state)) return;
    seat.state = GONE;
    this.#changed.add(seat);
  }

  #unseat(seat: Seat): void {
    this.#byClient.delete(seat.client);
    this.#bySession.delete(seat.author.session);
    this.#changed.delete(seat);
    this.#departed.set(seat.client, seat.clock);
    for (const [client] of this.#departed) {
      if (this.#departed.size <= MAX_DEPARTED) break;
      this.#departed.delete(client);
    }
  }
}

/** As receivers decide: a greater clock, or the end of a presence at the same. */
function isNews(presence: Presence, seat: Seat): boolean {
  if (presence.clock !== seat.clock) return presence.clock > seat.clock;
  return isGone(presence.state) && !isGone(seat.state);
}

function encoded(seats: readonly Seat[]): readonly Uint8Array[] {
  const updates: Uint8Array[] = [];
  for (let from = 0; from < seats.length; from += PRESENCES_PER_UPDATE) {
    updates.push(encodeAwarenessUpdate(seats.slice(from, from + PRESENCES_PER_UPDATE)));
  }
  return updates;
}
