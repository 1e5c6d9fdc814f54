/** Every order of some things. */
export function permutationsOf<T>(things: readonly T[]): readonly (readonly T[])[] {
  if (things.length < 2) return [things];
  return things.flatMap((first, index) =>
    permutationsOf(things.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}
