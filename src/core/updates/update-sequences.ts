import { getOrMake } from "../get-or-make.ts";
import { countWhile } from "../count-while.ts";
import { isSharedType, type Owner, type PlaceFinder } from "./update-places.ts";
import type { StructId, StructRecord } from "./update-reader.ts";
import { firstItem } from "../yjs/inside.ts";

/** A part of a struct that nothing stands in between: what Yjs has as one item by then. */
interface Piece {
  readonly client: number;
  readonly clock: number;
  length: number;
  readonly origin: StructId | undefined;
  readonly rightOrigin: StructId | undefined;
  /** The piece that its origin is in, as it was when there were so many `cuts`. */
  before: Piece | undefined;
  cuts: number;
  /** What follows it, unless `nextId` says so. */
  next: Piece | undefined;
  /** The address of what follows it, as long as nobody has asked. */
  nextId: StructId | undefined;
  /** The last walk that came by. */
  walk: number;
  /** The part of that walk; one ends where the struct has to stand further right. */
  stretch: number;
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
 * rules for concurrent insertions), counts the steps that takes, and remembers only what it came by.
 */
export class SequenceSimulation {
  readonly #places: PlaceFinder;
  readonly #limits: StepLimits;
  /** First address of a sequence, where the update changed it. */
  readonly #starts = new Map<Owner, StructId>();
  /** By client and first clock of a struct: its pieces, ascending. */
  readonly #pieces = new Map<number, Map<number, Piece[]>>();
  #steps = 0;
  /** Of all pieces so far. */
  #cuts = 0;
  #walks = 0;
  #stretches = 0;

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
    // In this order: where both are in one piece, the left one is what ends with its address.
    const right = rightOrigin && this.#beginningAt(rightOrigin);
    const left = origin && this.#endingAt(origin);
    if (this.#after(left, owner) !== right)
      return this.#placeAmongOthers(struct, owner, left, right);
    if (isRemembered) this.#insert(struct, owner, left, right);
    return "placed";
  }

  #placeAmongOthers(
    struct: StructRecord,
    owner: Owner,
    origin: Piece | undefined,
    right: Piece | undefined,
  ): Placing {
    const end = this.#steps + this.#limits.maxStepsOfStruct;
    const walk = ++this.#walks;
    let stretch = ++this.#stretches;
    let left = origin;
    let at = this.#after(origin, owner);
    for (; at !== undefined && at !== right; at = this.#after(at, owner)) {
      if (!this.countSteps(1) || this.#steps > end) return "too_far";
      at.walk = walk;
      at.stretch = stretch;
      let isBehind: boolean;
      if (isSame(at.origin, struct.origin)) {
        isBehind = at.client < struct.client;
        if (!isBehind && isSame(at.rightOrigin, struct.rightOrigin)) break;
      } else {
        const before = this.#before(at);
        if (before?.walk !== walk) break;
        isBehind = before.stretch !== stretch;
      }
      if (isBehind) {
        left = at;
        stretch = ++this.#stretches;
      }
    }
    if (origin !== undefined && right !== undefined) {
      for (; at !== right; at = this.#after(at, owner)) {
        if (at === undefined) return "disordered";
        if (!this.countSteps(1) || this.#steps > end) return "too_far";
      }
    }
    this.#insert(struct, owner, left, this.#after(left, owner));
    return "placed";
  }

  /** Puts a struct between a piece, or the start, and what stood behind that. */
  #insert(
    struct: StructRecord,
    owner: Owner,
    left: Piece | undefined,
    right: Piece | undefined,
  ): void {
    const { client, clock, rightOrigin } = struct;
    if (left === undefined) {
      this.#starts.set(owner, struct);
    } else {
      left.next = undefined;
      left.nextId = struct;
    }
    // Otherwise it is found as it says itself.
    if (!isSame(right, rightOrigin)) {
      const piece = newPiece(struct, struct);
      piece.next = right;
      this.#startsOf(client).set(clock, [piece]);
    }
  }

  /** What follows a piece, or what a sequence begins with. */
  #after(piece: Piece | undefined, owner: Owner): Piece | undefined {
    if (piece === undefined) {
      const start =
        this.#starts.get(owner) ?? (isSharedType(owner) ? firstItem(owner)?.id : undefined);
      return start && this.#pieceAt(start);
    }
    if (piece.nextId !== undefined) {
      piece.next = this.#pieceAt(piece.nextId);
      piece.nextId = undefined;
    }
    return piece.next;
  }

  /** The piece that its origin is in. */
  #before(piece: Piece): Piece | undefined {
    if (piece.cuts !== this.#cuts) {
      piece.before = piece.origin && this.#pieceAt(piece.origin);
      piece.cuts = this.#cuts;
    }
    return piece.before;
  }

  #pieceAt(id: StructId): Piece {
    const pieces = this.#piecesAround(id);
    const piece = pieces[countBegun(pieces, id.clock) - 1];
    if (piece === undefined) throw new Error("pieces leave nothing out");
    return piece;
  }

  /** Cuts behind an address. */
  #endingAt({ client, clock }: StructId): Piece {
    const piece = this.#pieceAt({ client, clock });
    if (clock + 1 < piece.clock + piece.length) this.#cut(piece, clock + 1);
    return piece;
  }

  /** Cuts in front of an address. */
  #beginningAt(id: StructId): Piece {
    const piece = this.#pieceAt(id);
    return piece.clock === id.clock ? piece : this.#cut(piece, id.clock);
  }

  /** Answers the second part. */
  #cut(piece: Piece, clock: number): Piece {
    const { client, rightOrigin, next, nextId } = piece;
    const length = piece.clock + piece.length - clock;
    const rest = newPiece(
      { client, clock },
      { length, origin: { client, clock: clock - 1 }, rightOrigin },
    );
    rest.next = next;
    rest.nextId = nextId;
    this.#cuts += 1;
    piece.length -= length;
    piece.next = rest;
    piece.nextId = undefined;
    const pieces = this.#piecesAround(piece);
    pieces.splice(countBegun(pieces, clock), 0, rest);
    return rest;
  }

  /** All pieces of the struct at an address. */
  #piecesAround(id: StructId): Piece[] {
    const item = this.#places.itemAt(id);
    const record = item === undefined ? this.#places.recordAt(id) : undefined;
    const struct = item ?? record;
    const begin = item?.id ?? record;
    if (struct === undefined || begin === undefined) throw new Error("an address of no struct");
    const starts = this.#startsOf(begin.client);
    let pieces = starts.get(begin.clock);
    if (pieces === undefined) {
      const piece = newPiece(begin, struct);
      piece.nextId = item === undefined ? piece.rightOrigin : item.right?.id;
      pieces = [piece];
      starts.set(begin.clock, pieces);
    }
    return pieces;
  }

  #startsOf(client: number): Map<number, Piece[]> {
    return getOrMake(this.#pieces, client, () => new Map<number, Piece[]>());
  }
}

interface Neighbours {
  readonly length: number;
  readonly origin: StructId | null | undefined;
  readonly rightOrigin: StructId | null | undefined;
}

/** One that nothing is known to follow. */
function newPiece({ client, clock }: StructId, { length, origin, rightOrigin }: Neighbours): Piece {
  return {
    client,
    clock,
    length,
    origin: origin ?? undefined,
    rightOrigin: rightOrigin ?? undefined,
    before: undefined,
    cuts: -1,
    next: undefined,
    nextId: undefined,
    walk: 0,
    stretch: 0,
  };
}

/** How many of a struct's pieces begin at a clock or before. */
function countBegun(pieces: readonly Piece[], clock: number): number {
  return countWhile(pieces.length, (index) => (pieces[index]?.clock ?? 0) <= clock);
}

function isSame(one: StructId | undefined, other: StructId | undefined): boolean {
  return one?.client === other?.client && one?.clock === other?.clock;
}
