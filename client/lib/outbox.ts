import { toBase64 } from "lib0/buffer";
import type * as Y from "yjs";
import { ChangedLines } from "./changed-lines.ts";

/** An update made on this device that the server has not acknowledged. */
export interface OwnEdit {
  /** The update as text: the same in all tabs, and whenever it is read from the store. */
  readonly token: string;
  /** Unix milliseconds by this device's clock. */
  readonly madeAt: number;
  readonly update: Uint8Array;
  /** Its number in the store; undefined while it is not stored. */
  readonly number: number | undefined;
}

/** What tabs call an edit. */
export type EditName = Pick<OwnEdit, "token">;

export function ownEdit(update: Uint8Array, madeAt: number, number?: number): OwnEdit {
  return { token: toBase64(update), madeAt, update, number };
}

export function namesOf(edits: readonly EditName[]): readonly EditName[] {
  return edits.map(({ token }) => ({ token }));
}

export function tokensOf(edits: readonly EditName[]): readonly string[] {
  return edits.map(({ token }) => token);
}

export function updatesOf(edits: readonly OwnEdit[]): readonly Uint8Array[] {
  return edits.map(({ update }) => update);
}

/** An edit that the server has. */
export interface Settled extends EditName {
  /** Its numbers in the store: two when two tabs have stored it. */
  readonly numbers: readonly number[];
}

/** The own updates that the server has not acknowledged, in their order, whether stored or not. */
export class Outbox {
  readonly #edits = new Map<string, OwnEdit>();
  /** Of the edits that are stored, by token. */
  readonly #numbers = new Map<string, readonly number[]>();
  /** All of these. */
  readonly #known = new Set<number>();
  /** Of the edits, by token. */
  readonly #lines = new ChangedLines();

  get size(): number {
    return this.#edits.size;
  }

  /** When the oldest was made. */
  get since(): number | undefined {
    for (const { madeAt } of this.#edits.values()) return madeAt;
    return undefined;
  }

  /** How many lines the edits have changed, each once. @param doc has the edits */
  linesIn(doc: Y.Doc): number {
    return this.#lines.count(doc);
  }

  all(): readonly OwnEdit[] {
    return [...this.#edits.values()];
  }

  has({ token }: EditName): boolean {
    return this.#edits.has(token);
  }

  /** Whether it has the edit that has a number in the store. */
  hasNumber(number: number): boolean {
    return this.#known.has(number);
  }

  /** Adds an edit, or its number when it is known already. */
  add(edit: OwnEdit): void {
    const { token, number } = edit;
    const known = this.#edits.get(token);
    if (number !== undefined && !this.#known.has(number)) {
      this.#known.add(number);
      this.#numbers.set(token, [...this.#numbersOf(token), number]);
      this.#edits.set(token, { ...(known ?? edit), number });
    } else if (known === undefined) this.#edits.set(token, edit);
    this.#lines.add(token, edit.update);
  }

  /** Takes out what the server has. Answers what was taken out. */
  settle(edits: readonly EditName[]): readonly Settled[] {
    const settled: Settled[] = [];
    for (const { token } of edits) {
      if (!this.#edits.delete(token)) continue;
      this.#lines.delete(token);
      const numbers = this.#numbersOf(token);
      this.#numbers.delete(token);
      for (const number of numbers) this.#known.delete(number);
      settled.push({ token, numbers });
    }
    return settled;
  }

  clear(): void {
    this.#edits.clear();
    this.#lines.clear();
    this.#numbers.clear();
    this.#known.clear();
  }

  #numbersOf(token: string): readonly number[] {
    return this.#numbers.get(token) ?? [];
  }
}
