/** Calls back when the page has nothing to do. Answers how to stop waiting. */
export function whenIdle(callback: () => void): () => void {
  // Not everywhere yet; there a moment after the start has to do.
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(callback, 2_000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(callback);
  return () => cancelIdleCallback(handle);
}
