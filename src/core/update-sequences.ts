import { countUpTo } from "./count-up-to.ts";
import { isSharedType, type Owner, type PlaceFinder } from "./update-places.ts";
import type { StructId, StructRecord } from "./update-reader.ts";

/** A struct of the document or of the update: what placing others beside it takes. */
interface Span {
  readonly id: StructId;
  readonly length: number;
  readonly origin: StructId | undefined;
  readonly rightOrigin: StructId | undefined;
  /** What stood right of it before the update, or, for a struct of the update, was meant to. */
  readonly right: StructId | undefined;
}

/** A part of a struct that nothing stands in between: what Yjs has as one item by then. */
interface Piece {
  readonly id: StructId;
  readonly last: StructId;
  readonly origin: StructId | undefined;
  readonly rightOrigin: StructId | undefined;
}

/** How many steps may be taken to find places among what others put there. */
export interface StepLimits {
  /** For one struct, in a sequence. */
  readonly maxStepsOfStruct: number;
  /** For all of an update. */
  readonly maxConflictSteps: number;
}

/** What came of placing a struct. */
export type Placing =
  | "placed"
  /** Its right neighbour stands left of its left one: replicas would disagree about its place. */
  | "disordered"
  /** It took more steps than it may. */
  | "too_far";

/**
 * Sequences (texts, the time marks) as they become while an update is applied, without touching the
 * document. It finds the place of each new struct the way `Item.integrate` does (yjs 13.6; the YATA
 * rules for concurrent insertions), counts the steps that takes, and remembers only what changes.
 */
export class SequenceSimulation {
  readonly #places: PlaceFinder;
  readonly #limits: StepLimits;
  /** First address of a sequence, where the update changed it. */
  readonly #starts = new Map<Owner, StructId>();
  /** What follows the last address of a piece, where that is not what the struct itself says. */
  readonly #next = new Addresses<StructId | undefined>();
  /** By the address of a struct, the clocks at which it is cut into pieces, ascending. */
  readonly #cuts = new Addresses<number[]>();
  #steps = 0;

  constructor(places: PlaceFinder, limits: StepLimits) {
    this.#places = places;
    this.#limits = limits;
  }

  /** Taken so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Adds steps that are taken elsewhere. False when it gets too many. */
  countSteps(steps: number): boolean {
    this.#steps += steps;
    return this.#steps <= this.#limits.maxConflictSteps;
  }

  /** @param isRemembered whether a later struct may meet this one */
  place(struct: StructRecord, owner: Owner, isRemembered: boolean): Placing {
    const { origin, rightOrigin } = struct;
    const follower = origin === undefined ? this.#startOf(owner) : this.#after(origin);
    if (!isSame(follower, rightOrigin)) return this.#placeAmongOthers(struct, owner, follower);
    if (isRemembered) this.#insert(struct, owner, origin, rightOrigin);
    return "placed";
  }

  #placeAmongOthers(struct: StructRecord, owner: Owner, follower: StructId | undefined): Placing {
    const { origin, rightOrigin } = struct;
    const end = this.#steps + this.#limits.maxStepsOfStruct;
    if (origin !== undefined) this.#cutAfter(origin);
    if (rightOrigin !== undefined) this.#cutBefore(rightOrigin);
    let left = origin;
    let at = follower;
    const passed = new Set<string>();
    const conflicting = new Set<string>();
    while (at !== undefined && !isSame(at, rightOrigin)) {
      if (!this.countSteps(1) || this.#steps > end) return "too_far";
      const piece = this.#pieceAt(at);
      passed.add(nameOf(piece.id));
      conflicting.add(nameOf(piece.id));
      let isBehind: boolean;
      if (isSame(piece.origin, origin)) {
        isBehind = piece.id.client < struct.client;
        if (!isBehind && isSame(piece.rightOrigin, rightOrigin)) break;
      } else {
        const before = piece.origin && nameOf(this.#pieceAt(piece.origin).id);
        if (before === undefined || !passed.has(before)) break;
        isBehind = !conflicting.has(before);
      }
      if (isBehind) {
        left = piece.last;
        conflicting.clear();
      }
      at = this.#after(piece.last);
    }
    if (origin !== undefined && rightOrigin !== undefined) {
      while (!isSame(at, rightOrigin)) {
        if (at === undefined) return "disordered";
        if (!this.countSteps(1) || this.#steps > end) return "too_far";
        at = this.#after(this.#pieceAt(at).last);
      }
    }
    this.#insert(
      struct,
      owner,
      left,
      left === undefined ? this.#startOf(owner) : this.#after(left),
    );
    return "placed";
  }

  /** Puts a struct between an address, or the start, and what stood behind that. */
  #insert(
    struct: StructRecord,
    owner: Owner,
    left: StructId | undefined,
    right: StructId | undefined,
  ): void {
    if (left === undefined) {
      this.#starts.set(owner, struct);
    } else {
      this.#cutAfter(left);
      this.#next.set(left, struct);
    }
    if (!isSame(right, struct.rightOrigin)) this.#next.set(lastOf(struct, struct.length), right);
  }

  #startOf(owner: Owner): StructId | undefined {
    return this.#starts.get(owner) ?? (isSharedType(owner) ? owner._start?.id : undefined);
  }

  /** What follows an address. */
  #after(id: StructId): StructId | undefined {
    if (this.#next.has(id)) return this.#next.get(id);
    const { id: start, length, right } = this.#spanAt(id);
    return id.clock + 1 < start.clock + length ? following(id) : right;
  }

  #pieceAt(id: StructId): Piece {
    const span = this.#spanAt(id);
    const { client, clock: start } = span.id;
    const cuts = this.#cuts.get(span.id) ?? [];
    const index = countUpTo(cuts, id.clock);
    const from = cuts[index - 1] ?? start;
    const to = cuts[index] ?? start + span.length;
    return {
      id: { client, clock: from },
      last: { client, clock: to - 1 },
      origin: from === start ? span.origin : { client, clock: from - 1 },
      rightOrigin: span.rightOrigin,
    };
  }

  #cutAfter(id: StructId): void {
    const { id: start, length } = this.#spanAt(id);
    if (id.clock + 1 < start.clock + length) this.#cut(start, id.clock + 1);
  }

  #cutBefore(id: StructId): void {
    const { id: start } = this.#spanAt(id);
    if (start.clock < id.clock) this.#cut(start, id.clock);
  }

  #cut(start: StructId, clock: number): void {
    const cuts = this.#cuts.get(start);
    if (cuts === undefined) return this.#cuts.set(start, [clock]);
    const index = countUpTo(cuts, clock);
    if (cuts[index - 1] !== clock) cuts.splice(index, 0, clock);
  }

  #spanAt(id: StructId): Span {
    const item = this.#places.itemAt(id);
    if (item !== undefined) {
      return {
        id: item.id,
        length: item.length,
        origin: item.origin ?? undefined,
        rightOrigin: item.rightOrigin ?? undefined,
        right: item.right?.id,
      };
    }
    const record = this.#places.recordAt(id);
    if (record === undefined) throw new Error("an address of no struct");
    const { length, origin, rightOrigin } = record;
    return { id: record, length, origin, rightOrigin, right: rightOrigin };
  }
}

/** A map by address. */
class Addresses<T> {
  readonly #clients = new Map<number, Map<number, T>>();

  has({ client, clock }: StructId): boolean {
    return this.#clients.get(client)?.has(clock) ?? false;
  }

  get({ client, clock }: StructId): T | undefined {
    return this.#clients.get(client)?.get(clock);
  }

  set({ client, clock }: StructId, value: T): void {
    const clocks = this.#clients.get(client);
    if (clocks === undefined) this.#clients.set(client, new Map([[clock, value]]));
    else clocks.set(clock, value);
  }
}

function following({ client, clock }: StructId): StructId {
  return { client, clock: clock + 1 };
}

function lastOf({ client, clock }: StructId, length: number): StructId {
  return { client, clock: clock + length - 1 };
}

function isSame(one: StructId | undefined, other: StructId | undefined): boolean {
  return one?.client === other?.client && one?.clock === other?.clock;
}

function nameOf({ client, clock }: StructId): string {
  return `${client}:${clock}`;
}
