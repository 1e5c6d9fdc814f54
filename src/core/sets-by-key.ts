import { getOrMake } from "./get-or-make.ts";

/** Sets by keys, none of them empty. */
export type SetsByKey<Key, Value> = Map<Key, Set<Value>>;

export function addTo<Key, Value>(sets: SetsByKey<Key, Value>, key: Key, value: Value): void {
  getOrMake(sets, key, () => new Set()).add(value);
}

export function removeFrom<Key, Value>(sets: SetsByKey<Key, Value>, key: Key, value: Value): void {
  const values = sets.get(key);
  if (values?.delete(value) === true && values.size === 0) sets.delete(key);
}
