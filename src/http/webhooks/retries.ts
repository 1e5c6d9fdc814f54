import type { FailingWebhook } from "../../accounts/account-store.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first failures; then always the last one. */
const WAITS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
];
/** What has failed for so long, and once more after each of the waits, is switched off. */
const LONGEST_MS = 72 * HOUR_MS;
/** A wait is longer by up to this part of it, so that what failed together does not come together. */
const SPREAD = 0.1;

/** A delivery has failed once more. */
export interface Failure {
  /** For people. */
  readonly error: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to 1: how much longer it waits than others. */
  readonly spread: number;
}

/** Milliseconds until it is tried again; a clock that was set back keeps nobody waiting. */
export function untilNext(failing: FailingWebhook | undefined, now: number): number {
  if (failing === undefined) return 0;
  const waitMs = Math.max(0, failing.nextAt - now);
  return waitMs > waitAfter(failing.attempts, 1) ? 0 : waitMs;
}

/** @param spread from 0 to 1 */
function waitAfter(attempts: number, spread: number): number {
  const waitMs = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? 0;
  return Math.ceil(waitMs * (1 + spread * SPREAD));
}

/** When it is tried again; undefined when it is not. */
export function nextAttempt(
  before: FailingWebhook | undefined,
  { error, now, spread }: Failure,
): FailingWebhook | undefined {
  const since = before?.since ?? now;
  const attempts = (before?.attempts ?? 0) + 1;
  // The server may have been off for days, or its clock was set forward.
  if (now - since >= LONGEST_MS && attempts > WAITS_MS.length) return undefined;
  return { since, attempts, error, nextAt: now + waitAfter(attempts, spread) };
}
