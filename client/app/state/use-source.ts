import { useEffect } from "preact/hooks";
import type { Source } from "./source.ts";
import { useRenew } from "./use-renew.ts";

/** The current value of a source; the component renders anew when it changes. */
export function useSource<T>(source: Source<T>): T {
  const renew = useRenew();
  const value = source.get();
  useEffect(() => {
    // It may have changed between this render and now.
    if (!Object.is(source.get(), value)) renew();
    return source.subscribe(renew);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `value` is only compared once
  }, [source]);
  return value;
}
