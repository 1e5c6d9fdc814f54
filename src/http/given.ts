type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** The fields that have a value: `null` and `undefined` count as not given. */
export function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as Given<T>;
}
