import type * as Y from "yjs";
import { concurrentWrites, writtenBy } from "../yjs/concurrent-writes.ts";
import { ATTRIBUTE, isSecond, valueOf } from "../schema.ts";
import { believed, FOLLOWED_MS } from "./timed-value.ts";
import { itemsByKey } from "../yjs/inside.ts";

/**
 * What is known of when a node was completed and reopened. A node is completed when that was done
 * last; then it was completed at the first time since it was last reopened, whoever did what
 * where. In the same second, reopening is the later of what was done unseen by each other.
 *
 * Times are Unix seconds. Joining two of these loses nothing that matters to a third, so what comes
 * out does not depend on the order in which several people's writes come together.
 */
export interface Completion {
  /** 0: never, or nobody knows when. */
  readonly reopenedAt: number;
  /** Ascending, all of them later than `reopenedAt`; empty: it is open. */
  readonly completedAt: readonly number[];
}

/** More completions of one node than that, on as many sides, are not told apart. */
const MOST_TIMES = 8;

/*
 * `x` says when the node was completed or, negative, when it was reopened; 0: reopened, who knows
 * when. Where that is not all, `c` says the rest: reopenedAt { "." completedAt } in base 36. It
 * belongs to the `x` that says what it comes to, and means nothing beside another.
 */
const MEMORY = /^[0-9a-z]{1,8}(\.[0-9a-z]{1,8}){1,8}$/;
const NEVER: Completion = { reopenedAt: 0, completedAt: [] };

/** When a node was completed; null while it is open. */
export function completedAtOf(text: Y.Text): number | null {
  return shownOf(readCompletion(text)) ?? null;
}

/** What the registers of a node say. Nonsense says nothing. */
export function readCompletion(text: Y.Text): Completion {
  return withMemory(valueOf(text, ATTRIBUTE.completed), [valueOf(text, ATTRIBUTE.completions)]);
}

/** When a node was completed or reopened last; 0 when nobody knows. */
export function lastChangeOf({ reopenedAt, completedAt }: Completion): number {
  return completedAt.at(-1) ?? reopenedAt;
}

/** What completing or reopening a node now comes to. */
export function completionAfter(
  before: Completion,
  completed: boolean,
  nowSec: number,
): Completion {
  const last = lastChangeOf(before);
  // A clock that is far ahead does not push others.
  const known = last > nowSec + FOLLOWED_MS / 1000 ? 0 : last;
  if (!completed) return { reopenedAt: Math.max(nowSec, known), completedAt: [] };
  const reopenedAt = known === 0 ? 0 : before.reopenedAt;
  const at = Math.max(nowSec, reopenedAt);
  // Whoever completes a node has seen that it was reopened, if in the same second.
  return normal(Math.min(reopenedAt, at - 1), [at]);
}

/** The same with times that are believed; undefined when it has no others. */
export function believedCompletion(
  { reopenedAt, completedAt }: Completion,
  nowMs: number,
): Completion | undefined {
  const trust = (sec: number): number => Math.floor(believed(sec * 1000, nowMs) / 1000);
  if ([reopenedAt, ...completedAt].every((sec) => trust(sec) === sec)) return undefined;
  const times = completedAt.map(trust);
  // What was completed after it was reopened stays completed.
  return normal(Math.min(trust(reopenedAt), (times[0] ?? Infinity) - 1), times);
}

/** Takes back that a node was reopened: it is completed now, and was so all the time since. */
export function completedAgain(before: Completion, since: number, nowSec: number): Completion {
  const { reopenedAt, completedAt } = completionAfter(before, true, nowSec);
  return normal(Math.min(reopenedAt, since - 1), [since, ...completedAt]);
}

/** Inside a transaction. */
export function writeCompletion(text: Y.Text, completion: Completion): void {
  const { reopenedAt, completedAt } = completion;
  const x = shownOf(completion) ?? -reopenedAt;
  text.setAttribute(ATTRIBUTE.completed, x === 0 ? 0 : x);
  if (isSame(ofNumber(x), completion)) return;
  const times = [reopenedAt, ...completedAt].map((time) => time.toString(36));
  text.setAttribute(ATTRIBUTE.completions, times.join("."));
}

/**
 * What several concurrent writes come to, where that is not what the registers say. To be asked when
 * `concurrentWrites` may be. @param dateOf when a write was made that does not say so itself
 */
export function lostCompletionOf(
  text: Y.Text,
  dateOf: (item: Y.Item) => number,
): Completion | undefined {
  const kept = itemsByKey(text).get(ATTRIBUTE.completed);
  if (kept === undefined) return undefined;
  const memory = itemsByKey(text).get(ATTRIBUTE.completions);
  const memories = memory === undefined ? [] : [memory, ...concurrentWrites(memory)].map(writtenBy);
  const read = (item: Y.Item): Completion => {
    const value = writtenBy(item);
    const completion = withMemory(value, memories);
    return value === 0 ? { ...completion, reopenedAt: dateOf(item) } : completion;
  };
  const shown = kept.deleted ? NEVER : read(kept);
  let joined = shown;
  for (const item of concurrentWrites(kept)) joined = joinCompletions(joined, read(item));
  return isSame(joined, shown) ? undefined : joined;
}

/** What two concurrent ones come to. */
export function joinCompletions(one: Completion, other: Completion): Completion {
  const reopenedAt = Math.max(one.reopenedAt, other.reopenedAt);
  return normal(reopenedAt, [...one.completedAt, ...other.completedAt]);
}

function normal(reopenedAt: number, times: readonly number[]): Completion {
  const after = [...new Set(times)].filter((time) => time > reopenedAt).sort((a, b) => a - b);
  // The first is shown, and the later ones are what another reopening may leave.
  const [first, ...others] = after;
  const completedAt = first === undefined ? [] : [first, ...others.slice(1 - MOST_TIMES)];
  return { reopenedAt, completedAt };
}

function shownOf({ completedAt }: Completion): number | undefined {
  return completedAt[0];
}

function ofNumber(x: unknown): Completion {
  if (typeof x !== "number" || !isSecond(Math.abs(x))) return NEVER;
  return x > 0 ? { reopenedAt: 0, completedAt: [x] } : { reopenedAt: -x, completedAt: [] };
}

/** What `x` says, with the rest of it if that is there. */
function withMemory(x: unknown, memories: readonly unknown[]): Completion {
  for (const memory of memories) {
    const completion = parseMemory(memory);
    if (completion !== undefined && shownOf(completion) === x) return completion;
  }
  return ofNumber(x);
}

function parseMemory(memory: unknown): Completion | undefined {
  if (typeof memory !== "string" || !MEMORY.test(memory)) return undefined;
  const [reopenedAt = 0, ...times] = memory.split(".").map((time) => Number.parseInt(time, 36));
  return [reopenedAt, ...times].every((time) => time === 0 || isSecond(time))
    ? normal(reopenedAt, times)
    : undefined;
}

function isSame(one: Completion, other: Completion): boolean {
  return one.reopenedAt === other.reopenedAt && one.completedAt.join() === other.completedAt.join();
}
