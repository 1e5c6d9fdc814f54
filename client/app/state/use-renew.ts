import { useCallback, useState } from "preact/hooks";

/** A function that makes the component render anew. */
export function useRenew(): () => void {
  const [, setCount] = useState(0);
  return useCallback(() => setCount((count) => count + 1), []);
}
