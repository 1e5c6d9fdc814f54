/**
 * Calls when the page is hidden or left, from where it may not come back, and before the replica keeps what
 * it has not stored: who listens in the first phase hears first. Answers how to stop.
 */
export function beforeHidden(listener: () => void): () => void {
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  addEventListener("pagehide", listener, options);
  addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "hidden") listener();
    },
    options,
  );
  return () => listening.abort();
}
