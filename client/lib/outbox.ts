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

  get size(): number {
    return this.#edits.size;
  }

  /** When the oldest was made. */
  get since(): number | undefined {
    for (const { madeAt } of this.#edits.values()) return madeAt;
    return undefined;
  }

  all(): readonly OwnEdit[] {
    return [...this.#edits.values()];
  }

  has({ token }: Pick<OwnEdit, "token">): boolean {
    return this.#edits.has(token);
  }

  /** Adds an edit, or its number when it is known already. False when nothing is new. */
  add(edit: OwnEdit): boolean {
    const { token, number } = edit;
    if (number !== undefined) {
      const known = this.#tokens.get(number);
      if (known !== undefined) {
        // Told of by another tab before it was stored, and read from the store since.
        if (known !== token) this.#edits.delete(token);
        return false;
      }
      this.#tokens.set(number, token);
      this.#numbers.set(token, [...(this.#numbers.get(token) ?? []), number]);
    }
    this.#edits.set(token, edit);
    return true;
  }

  /** Adds what the store has. Answers its token. @param madeAt what is not known of stored updates */
  addStored({ number, update }: OwnUpdate, madeAt: number): string {
    const token = `#${number}`;
    this.add({ token, madeAt, update, number });
    return token;
  }

  /** Takes out what the server has. Answers what was taken out, as it was known here. */
  settle(edits: readonly EditName[]): readonly Settled[] {
    const settled: Settled[] = [];
    for (const { token, number } of edits) {
      const known = number === undefined ? token : (this.#tokens.get(number) ?? token);
      if (!this.#edits.delete(known)) continue;
      const numbers = this.#numbers.get(known) ?? [];
      this.#numbers.delete(known);
      for (const each of numbers) this.#tokens.delete(each);
      settled.push({ token: known, numbers });
    }
    return settled;
  }

  clear(): void {
    this.#edits.clear();
    this.#tokens.clear();
    this.#numbers.clear();
  }
}
