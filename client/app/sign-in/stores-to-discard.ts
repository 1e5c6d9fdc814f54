import type { PageStorage } from "../page/page-storage.ts";

const NAME = "discard";

/** Local stores of ended sessions that are still there, or were when somebody last looked. */
export function storesToDiscard(storage: PageStorage): readonly string[] {
  const names = storage.read(NAME);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Notes that a store has to go, until {@link forgetDiscarded}: a sign-out may be cut off. */
export function noteToDiscard(storage: PageStorage, storeName: string): void {
  storage.write(NAME, [...new Set([...storesToDiscard(storage), storeName])]);
}

export function forgetDiscarded(storage: PageStorage, storeName: string): void {
  const rest = storesToDiscard(storage).filter((name) => name !== storeName);
  storage.write(NAME, rest.length === 0 ? undefined : rest);
}
