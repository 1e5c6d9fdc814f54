import {
  isSharedType,
  type ListPlace,
  type Owner,
  type PlaceFinder,
  type SharedType,
} from "./update-places.ts";
import type { StructRecord } from "./update-reader.ts";
import { SequenceSimulation, type Placing, type StepLimits } from "./update-sequences.ts";

/** What the structs of the update did to the entries of one type so far. */
interface EntryTrace {
  /** Structs put into its entries. */
  count: number;
  /** Entries begun; by name for types of the document only. */
  begun: number;
  readonly names: Set<string>;
}

/** Entries that a type made by the update may begin without being looked at. */
const FEW_ENTRIES = 16;

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
  readonly #traces = new Map<Owner, EntryTrace>();

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
    const trace = this.#isRemembering ? this.#traceOf(owner) : undefined;
    const steps = this.#stepsInEntry(struct, owner, sub, trace);
    if (trace !== undefined) trace.count++;
    return this.#sequences.countSteps(steps) ? "placed" : "too_far";
  }

  #stepsInEntry(
    struct: StructRecord,
    owner: Owner,
    sub: string,
    trace: EntryTrace | undefined,
  ): number {
    const others = trace?.count ?? 0;
    if (struct.origin === undefined) {
      if (beginsEntry(owner, sub, trace)) return 0;
      // Yjs walks from the last value of the entry to the first, and then over all of them, twice.
      return others + (isSharedType(owner) ? 3 * this.#lengthOf(owner, sub) : 0);
    }
    const left = this.#places.itemAt(struct.origin);
    // Behind a struct of the update, only others of the update can stand.
    if (left === undefined) return trace === undefined || isNext(struct) ? 0 : others;
    let steps = 0;
    for (let item = left.right; item !== null; item = item.right) {
      if (steps++ > this.#limits.maxConflictSteps) break;
    }
    return steps === 0 && others === 0 ? 0 : steps + others;
  }

  #lengthOf(owner: SharedType, sub: string): number {
    let length = 0;
    for (let item = owner._map.get(sub) ?? null; item !== null; item = item.left) {
      if (length++ > this.#limits.maxConflictSteps) break;
    }
    return length;
  }

  #traceOf(owner: Owner): EntryTrace {
    let trace = this.#traces.get(owner);
    if (trace === undefined) {
      trace = { count: 0, begun: 0, names: isSharedType(owner) ? new Set() : NO_NAMES };
      this.#traces.set(owner, trace);
    }
    return trace;
  }
}

/** Never added to. */
const NO_NAMES = new Set<string>();

/** Whether an entry of a map gets its first struct now. */
function beginsEntry(owner: Owner, sub: string, trace: EntryTrace | undefined): boolean {
  const isKept = isSharedType(owner);
  if (isKept && owner._map.has(sub)) return false;
  if (trace === undefined) return true;
  if (!isKept) return trace.begun++ < FEW_ENTRIES;
  if (trace.names.has(sub)) return false;
  trace.names.add(sub);
  return true;
}

/** Whether a struct follows on its own client's last one, as when a register is set again. */
function isNext({ client, clock, origin }: StructRecord): boolean {
  return origin?.client === client && origin.clock === clock - 1;
}
