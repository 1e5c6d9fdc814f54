import { getOrMake } from "../get-or-make.ts";
import type { ListPlace, Owner, PlaceFinder } from "./update-places.ts";
import { isSharedType } from "./update-places.ts";
import type { StructRecord } from "./update-reader.ts";
import { SequenceSimulation, type Placing, type StepLimits } from "./update-sequences.ts";
import { itemsByKey, type SharedType } from "../yjs/inside.ts";

/**
 * Bounds the steps that Yjs takes to find places among what others put there: a thousand structs
 * made for it cost a million steps each time. Nothing is counted for structs whose neighbours still
 * touch, which is nearly all that people send. For sequences the steps are exact; for entries of
 * maps never too few.
 */
export class ConflictCost {
  readonly #sequences: SequenceSimulation;
  readonly #places: PlaceFinder;
  readonly #limits: StepLimits;
  /** False for an update of a single struct: no later one could meet it. */
  readonly #isRemembering: boolean;
  /** How many structs of the update were put into each entry of a type so far. */
  readonly #added = new Map<Owner, Map<string, number>>();

  constructor(
    places: PlaceFinder,
    limits: StepLimits,
    options: { readonly isRemembering: boolean },
  ) {
    this.#places = places;
    this.#limits = limits;
    this.#isRemembering = options.isRemembering;
    this.#sequences = new SequenceSimulation(places, limits);
  }

  /** Taken so far. */
  get steps(): number {
    return this.#sequences.steps;
  }

  /** Places a struct in its list and adds what that costs. */
  place(struct: StructRecord, { owner, sub }: ListPlace): Placing {
    if (owner === undefined) return "placed";
    if (sub === null) return this.#sequences.place(struct, owner, this.#isRemembering);
    const added = this.#isRemembering ? this.#addTo(owner, sub) : 0;
    const steps = this.#stepsInEntry(struct, owner, sub, added);
    return this.#sequences.countSteps(steps) ? "placed" : "too_far";
  }

  /** @param added what the update has put there before */
  #stepsInEntry(struct: StructRecord, owner: Owner, sub: string, added: number): number {
    if (struct.origin === undefined) {
      // Yjs walks from the last value of the entry to the first, and then over all of them, twice.
      return 3 * (added + (isSharedType(owner) ? this.#lengthOf(owner, sub) : 0));
    }
    const left = this.#places.itemAt(struct.origin);
    // Behind a struct of the update, only others of the update can stand.
    if (left === undefined) return isNext(struct) ? 0 : added;
    let steps = 0;
    for (let item = left.right; item !== null; item = item.right) {
      if (steps++ > this.#limits.maxConflictSteps) break;
    }
    return steps + added;
  }

  #lengthOf(owner: SharedType, sub: string): number {
    let length = 0;
    for (let item = itemsByKey(owner).get(sub) ?? null; item !== null; item = item.left) {
      if (length++ > this.#limits.maxConflictSteps) break;
    }
    return length;
  }

  /** Counts one more; answers how many there were. */
  #addTo(owner: Owner, sub: string): number {
    const entries = getOrMake(this.#added, owner, () => new Map<string, number>());
    const added = entries.get(sub) ?? 0;
    entries.set(sub, added + 1);
    return added;
  }
}

/** Whether a struct follows on its own client's last one, as when a register is set again. */
function isNext({ client, clock, origin }: StructRecord): boolean {
  return origin?.client === client && origin.clock === clock - 1;
}
