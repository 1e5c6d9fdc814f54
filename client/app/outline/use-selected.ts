import { useLayoutEffect, useState } from "preact/hooks";
import type { Source } from "../state/source.ts";

/** What follows from a source; the component renders anew only when that differs. */
export function useSelected<T, R>(source: Source<T>, select: (value: T) => R): R {
  const now = select(source.get());
  const [, setShown] = useState(now);
  useLayoutEffect(() => {
    const update = (): void => setShown(select(source.get()));
    update();
    return source.subscribe(update);
    // A component asks the same of one source for as long as its key is the same.
  }, [source]);
  return now;
}
