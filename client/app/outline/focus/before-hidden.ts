import { listen } from "../../state/listen.ts";

/**
 * Calls when the page is hidden or left, from where it may not come back, and before the replica keeps what
 * it has not stored: who listens in the first phase hears first. Answers how to stop.
 */
export function beforeHidden(listener: () => void): () => void {
  const visibilitychange = (): void => {
    if (document.visibilityState === "hidden") listener();
  };
  return listen(window, { pagehide: listener, visibilitychange }, { capture: true });
}
