/** What a map has under a key; made, and put there, when there is nothing. */
export function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
