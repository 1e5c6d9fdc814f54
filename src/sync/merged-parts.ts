import type { Seq } from "../documents/log/outline-log.ts";
import { joinedUpdates } from "../core/updates/joined-updates.ts";
import { countOfRun } from "../core/yjs/merged-update.ts";

/** Some updates of the log as one. */
export interface TailPart {
  readonly update: Uint8Array;
  /** The number of the last of them. */
  readonly seq: Seq;
}

/**
 * Updates of the log that a client lacks, merged, since a frame for each keystroke would be mostly
 * headers; in order, each part made when it is taken, in some milliseconds.
 * @param updates those that follow `after`, without gaps
 */
export function* mergedParts(updates: readonly Uint8Array[], after: Seq): Generator<TailPart> {
  for (let start = 0; start < updates.length;) {
    const end = start + countOfRun(updates, start);
    yield { update: joinedUpdates(updates.slice(start, end)), seq: after + end };
    start = end;
  }
}
