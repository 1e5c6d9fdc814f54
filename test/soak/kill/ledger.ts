import { differenceOf, type TreeNode } from "./outline-tree.ts";

/** Which states a part of an outline may be in: those from one on and up to another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What came of a fault for one writer. */
export interface Settlement {
  /** What is wrong with what is there, in words. */
  readonly failure: string | undefined;
  /** How many edits nobody had acknowledged. */
  readonly open: number;
  /** How many of them are there all the same. */
  readonly landed: number;
}

/**
 * What one writer did to its part of an outline, state by state, and up to which of them it was told
 * that all is saved. Only this writer writes there: after a fault the part is as the last
 * acknowledged state or a later one, whole, and never between two of them.
 */
export class Ledger {
  #states: TreeNode[];
  /** The number of the first state that is kept. */
  #first = 0;
  #acknowledged = 0;
  #total = 0;

  constructor(state: TreeNode) {
    this.#states = [state];
  }

  /** What is there when everything has arrived. */
  get latest(): TreeNode {
    const latest = this.#states.at(-1);
    if (latest === undefined) throw new Error("a ledger has a state");
    return latest;
  }

  /** What may be there now. */
  get span(): Span {
    return { from: this.#acknowledged, to: this.#first + this.#states.length - 1 };
  }

  /** How many edits were acknowledged since the beginning. */
  get acknowledged(): number {
    return this.#total;
  }

  /** Before an edit is sent. @returns the number of the state after it */
  issue(state: TreeNode): number {
    this.#states.push(state);
    return this.span.to;
  }

  /** The edit that led to a state, and all before it, are saved. @param state with ids that came */
  acknowledge(number: number, state?: TreeNode): void {
    this.#total += Math.max(0, number - this.#acknowledged);
    this.#acknowledged = Math.max(this.#acknowledged, number);
    if (state !== undefined) this.#states[number - this.#first] = state;
  }

  /** Forgets the states that are behind the acknowledged one. */
  trim(): void {
    this.#states = this.#states.slice(this.#acknowledged - this.#first);
    this.#first = this.#acknowledged;
  }

  /** The number of the newest state of a span that is what is there, or why none is. */
  find(actual: TreeNode | undefined, { from, to }: Span): number | string {
    if (actual === undefined) return "all of it is gone";
    let difference: string | undefined;
    for (let number = to; number >= from; number--) {
      const state = this.#states[number - this.#first];
      if (state === undefined) throw new Error(`state ${number} is not kept`);
      difference = differenceOf(state, actual);
      if (difference === undefined) return number;
    }
    return difference ?? "";
  }

  /** Compares with what is there after a fault, and goes on from that. */
  settle(actual: TreeNode | undefined): Settlement {
    const { span } = this;
    const found = this.find(actual, span);
    this.#first = span.to + 1;
    this.#acknowledged = this.#first;
    this.#states = [actual ?? this.latest];
    const open = span.to - span.from;
    return typeof found === "string"
      ? { failure: found, open, landed: 0 }
      : { failure: undefined, open, landed: found - span.from };
  }
}
