import { StoreError } from "../documents/log/outline-log.ts";

/** What a process opens a store for. */
export type Purpose =
  | { readonly kind: "serve" }
  /** To work on what is there, for a command: there has to be one. */
  | { readonly kind: "use" }
  /** To read what is there, none of which changes; what has to be written goes to a folder apart. */
  | { readonly kind: "read"; readonly apart: string }
  /** To make it what another store is, which has this name. */
  | { readonly kind: "arrive"; readonly name: string };

export const SERVING: Purpose = { kind: "serve" };

/** What a store says of itself. */
interface FoundStore {
  readonly name: string | undefined;
  /** Another store is being moved here. */
  readonly arriving: boolean;
  readonly isEmpty: boolean;
}

/**
 * A store that is only half there is not served, and only what is empty, or half of the same move, is
 * made another store.
 * @param place in a sentence
 * @throws StoreError `store_corrupt`; nothing was changed
 */
export function requirePurpose(place: string, purpose: Purpose, found: FoundStore): void {
  const sentence = sentenceOf(purpose, found);
  if (sentence !== undefined) throw new StoreError("store_corrupt", `${place} ${sentence}`);
}

function sentenceOf(purpose: Purpose, { name, arriving, isEmpty }: FoundStore): string | undefined {
  if (purpose.kind !== "arrive") {
    return arriving
      ? "holds half of a store that is being moved there: run outline migrate again, to its end."
      : undefined;
  }
  const isSame = name === purpose.name;
  if (arriving) {
    return isSame ? undefined : "holds half of another store that is being moved there.";
  }
  if (isEmpty) return undefined;
  return isSame
    ? "holds this store already: it was moved there before. Nothing was changed."
    : "holds a store already. Nothing was changed.";
}
