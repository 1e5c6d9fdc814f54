import type * as Y from "yjs";
import { ChangedLines } from "./changed-lines.ts";
import type { OwnUpdate } from "./store/replica-store.ts";

/** An update made on this device that the server has not acknowledged. */
export interface OwnEdit {
  /** The same in all tabs. */
  readonly token: string;
  /** Unix milliseconds by this device's clock. */
  readonly madeAt: number;
  readonly update: Uint8Array;
  /** Its number in the store; undefined while it is not stored. */
  readonly number: number | undefined;
}

/** What tabs call an edit. */
export type EditName = Pick<OwnEdit, "token" | "number">;

export function namesOf(edits: readonly EditName[]): readonly EditName[] {
  return edits.map(({ token, number }) => ({ token, number }));
}

export function tokensOf(edits: readonly Pick<OwnEdit, "token">[]): readonly string[] {
  return edits.map(({ token }) => token);
}

export function updatesOf(edits: readonly OwnEdit[]): readonly Uint8Array[] {
  return edits.map(({ update }) => update);
}

/** An edit that the server has. */
export interface Settled {
  readonly token: string;
  /** Its numbers in the store: two when two tabs have stored it. */
  readonly numbers: readonly number[];
}

/** A name for each number. */
export function allNamesOf(settled: readonly Settled[]): readonly EditName[] {
  return settled.flatMap(({ token, numbers }) => numbers.map((number) => ({ token, number })));
}

/** The own updates that the server has not acknowledged, in their order, whether stored or not. */
export class Outbox {
  readonly #edits = new Map<string, OwnEdit>();
  readonly #tokens = new Map<number, string>();
  /** By token. */
  readonly #numbers = new Map<string, readonly number[]>();
  /** Of edits that are called otherwise where they were made: the token under which they are kept. */
  readonly #keptAs = new Map<string, string>();
  /** The same the other way round: one that is kept under another token by now may still be among them. */
  readonly #others = new Map<string, readonly string[]>();
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

  has(edit: EditName): boolean {
    return this.#edits.has(this.#tokenOf(edit));
  }

  /** Adds an edit, or its number when it is known already. */
  add(edit: OwnEdit): void {
    const { token, number } = edit;
    const kept = this.#tokenOf(edit);
    if (kept !== token) this.#join(token, kept);
    if (number !== undefined && !this.#tokens.has(number)) {
      this.#tokens.set(number, kept);
      this.#numbers.set(kept, [...this.#numbersOf(kept), number]);
    } else if (number !== undefined) return;
    if (kept !== token) return;
    this.#edits.set(token, edit);
    this.#lines.add(token, edit.update);
  }

  /** Adds what the store has. Answers its token. @param madeAt what is not known of stored updates */
  addStored({ number, update }: OwnUpdate, madeAt: number): string {
    const token = `#${number}`;
    this.add({ token, madeAt, update, number });
    return token;
  }

  /** Takes out what the server has. Answers what was taken out, by each name that it has had here. */
  settle(edits: readonly EditName[]): readonly Settled[] {
    const settled: Settled[] = [];
    for (const edit of edits) {
      const token = this.#tokenOf(edit);
      if (!this.#delete(token)) continue;
      const numbers = this.#numbersOf(token);
      this.#numbers.delete(token);
      for (const each of numbers) this.#tokens.delete(each);
      settled.push({ token, numbers });
      for (const other of this.#others.get(token) ?? []) {
        if (this.#keptAs.get(other) !== token) continue;
        this.#keptAs.delete(other);
        settled.push({ token: other, numbers: [] });
      }
      this.#others.delete(token);
    }
    return settled;
  }

  clear(): void {
    this.#edits.clear();
    this.#lines.clear();
    this.#tokens.clear();
    this.#numbers.clear();
    this.#keptAs.clear();
    this.#others.clear();
  }

  #delete(token: string): boolean {
    this.#lines.delete(token);
    return this.#edits.delete(token);
  }

  #tokenOf({ token, number }: EditName): string {
    const known = number === undefined ? undefined : this.#tokens.get(number);
    return known ?? this.#keptAs.get(token) ?? token;
  }

  /** Of one that this tab or another one told of, and that has been read from the store since. */
  #join(token: string, kept: string): void {
    if (this.#keptAs.get(token) !== kept) {
      this.#keptAs.set(token, kept);
      this.#others.set(kept, [...(this.#others.get(kept) ?? []), token]);
    }
    if (!this.#delete(token)) return;
    const numbers = this.#numbersOf(token);
    this.#numbers.delete(token);
    for (const number of numbers) this.#tokens.set(number, kept);
    this.#numbers.set(kept, [...this.#numbersOf(kept), ...numbers]);
  }

  #numbersOf(token: string): readonly number[] {
    return this.#numbers.get(token) ?? [];
  }
}
