import { useLayoutEffect, useState } from "preact/hooks";

/**
 * What is read of something that changes; the component renders anew when something else is read.
 *
 * @param follow calls back after each change; answers how to stop
 * @param of with others of these it is another thing that is followed
 */
export function useRead<T>(
  read: () => T,
  follow: (look: () => void) => () => void,
  of: readonly unknown[],
): T {
  const now = read();
  const [, setShown] = useState(() => now);
  useLayoutEffect(() => {
    const look = (): void => setShown(() => read());
    // It may have changed between this render and now.
    look();
    return follow(look);
  }, of);
  return now;
}
