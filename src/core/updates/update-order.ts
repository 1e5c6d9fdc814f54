import type * as Y from "yjs";
import type { Incoming } from "./update-places.ts";
import type { Run } from "./update-plan.ts";
import type { StructId, StructRecord } from "./update-reader.ts";
import { clockOf } from "../yjs/struct-store.ts";

/** Structs that are ordered in a step. */
const STEP = 1_024;

/** How far one client's new structs are ordered. */
interface Cursor {
  readonly incoming: Incoming;
  /** Index of the next struct. */
  next: number;
  /** Clock up to which everything is known or ordered. */
  reached: number;
  /** Waiting for a struct of another client, further down on the stack. */
  isWaiting: boolean;
}

/**
 * Brings the new structs of an update into the order in which Yjs will integrate them: highest
 * client first, and what a struct refers to before it. Touches nothing; linear in the structs, in
 * steps of a fraction of a millisecond.
 *
 * Undefined when there is no such order: something is referred to that is nowhere, or structs wait
 * for each other. Yjs would keep such an update as pending, for ever and unseen.
 */
export function* orderRuns(
  doc: Y.Doc,
  incoming: ReadonlyMap<number, Incoming>,
): Generator<void, Run[] | undefined> {
  const cursors = new Map<number, Cursor>();
  for (const [client, section] of incoming) {
    cursors.set(client, {
      incoming: section,
      next: section.first,
      reached: section.known,
      isWaiting: false,
    });
  }

  const runs: Run[] = [];
  let left = STEP;
  for (const start of highestClientFirst(cursors)) {
    const stack: { readonly cursor: Cursor; readonly until: number }[] = [
      { cursor: start, until: start.incoming.end },
    ];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { cursor, until } = top;
      const before = cursor.next;
      const missing = advance(doc, cursors, runs, cursor, until);
      const ordered = cursor.next - before;
      left -= 1 + ordered;
      if (left < 0) {
        yield;
        left = STEP;
      }
      if (missing === undefined) {
        if (cursor.reached < until && ordered > 0) continue;
        stack.pop();
        cursor.isWaiting = false;
        continue;
      }
      const next = cursors.get(missing.client);
      cursor.isWaiting = true;
      if (next === undefined || next.isWaiting || missing.clock >= next.incoming.end) {
        return undefined;
      }
      stack.push({ cursor: next, until: missing.clock + 1 });
    }
  }
  return runs;
}

function highestClientFirst(cursors: ReadonlyMap<number, Cursor>): readonly Cursor[] {
  const all = [...cursors.values()];
  return all.length > 1
    ? all.sort((one, other) => other.incoming.client - one.incoming.client)
    : all;
}

/**
 * Orders structs of one client up to the clock `until`, no more than a step of them, or up to one
 * that refers to what is not known or ordered yet: that address is the answer.
 */
function advance(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  runs: Run[],
  cursor: Cursor,
  until: number,
): StructId | undefined {
  const { client, source, structs } = cursor.incoming;
  const from = cursor.next;
  let missing: StructId | undefined;
  while (cursor.reached < until && cursor.next - from < STEP) {
    const struct = structs[cursor.next];
    if (struct === undefined) break;
    missing = missingOf(doc, cursors, struct);
    if (missing !== undefined) break;
    cursor.next++;
    cursor.reached = struct.clock + struct.length;
  }
  if (cursor.next > from) runs.push({ client, source, structs, from, to: cursor.next });
  return missing;
}

/** What a struct refers to that is neither known nor ordered. */
function missingOf(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  { origin, rightOrigin, parent }: StructRecord,
): StructId | undefined {
  if (origin !== undefined && !isReached(doc, cursors, origin)) return origin;
  if (rightOrigin !== undefined && !isReached(doc, cursors, rightOrigin)) return rightOrigin;
  return typeof parent === "object" && !isReached(doc, cursors, parent) ? parent : undefined;
}

function isReached(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  { client, clock }: StructId,
): boolean {
  return clock < (cursors.get(client)?.reached ?? clockOf(doc, client));
}
