/**
 * Milliseconds until the next token of a window, 0 when one can be taken now.
 * A token that was taken in the future means that the clock was set back: it no longer counts.
 */
export function waitForToken(token: {
  readonly takenAt: number | undefined;
  readonly now: number;
  readonly windowMs: number;
}): number {
  const { takenAt, now, windowMs } = token;
  if (takenAt === undefined || takenAt > now) return 0;
  return Math.max(0, takenAt + windowMs - now);
}
