import type { Source } from "./source.ts";
import { useRead } from "./use-read.ts";

/** The current value of a source; the component renders anew when it changes. */
export function useSource<T>(source: Source<T>): T {
  return useSelected(source, (value) => value);
}

/** What follows from the value of a source, always in the same way; the component renders anew when that differs. */
export function useSelected<T, R>(source: Source<T>, select: (value: T) => R): R {
  return useRead(
    () => select(source.get()),
    (look) => source.subscribe(look),
    [source],
  );
}
