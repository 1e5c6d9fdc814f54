import { useCallback, useState } from "preact/hooks";

/** A function that renders the component anew. */
export function useRenewal(): () => void {
  const [, setCount] = useState(0);
  return useCallback(() => setCount((count) => count + 1), []);
}
