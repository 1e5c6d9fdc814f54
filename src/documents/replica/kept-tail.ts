import { KeptReceipts, type KeptReceipt } from "./kept-receipts.ts";
import type { Seq } from "../log/outline-log.ts";
import { RecentUpdates } from "./recent-updates.ts";

/** The newest durable updates of replicas that were lost, in the order of their log. */
export interface KeptTail {
  readonly epoch: string;
  /** The number of the last of them. */
  readonly head: Seq;
  readonly updates: readonly Uint8Array[];
  /** What requests were answered that these updates are of. */
  readonly receipts: readonly KeptReceipt[];
}

/**
 * What is kept of two replicas of one history. A later one knows nothing of what was in its snapshot; what
 * another process wrote between them is in neither.
 */
export function joinedTail(one: KeptTail, other: KeptTail): KeptTail {
  const [earlier, later] = one.head <= other.head ? [one, other] : [other, one];
  const receipts = new KeptReceipts();
  receipts.add([...earlier.receipts, ...later.receipts]);
  if (startOf(later) <= startOf(earlier)) return { ...later, receipts: receipts.behind(0) };
  const more = Math.min(later.head - earlier.head, later.updates.length);
  const updates = [...earlier.updates, ...later.updates.slice(later.updates.length - more)];
  const recent = new RecentUpdates(0);
  recent.add(updates, updates.length);
  // What was done for the others may be in updates that are not kept.
  const isWhole = recent.updates.length === updates.length;
  return {
    ...later,
    updates: recent.updates,
    receipts: isWhole ? receipts.behind(0) : later.receipts,
  };
}

/** The number behind which it begins. */
function startOf({ head, updates }: KeptTail): Seq {
  return head - updates.length;
}
