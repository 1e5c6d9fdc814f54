import type { DocumentEvents } from "../document-events.ts";
import type { DocumentLimits } from "../document-limits.ts";
import type { LogPorts } from "../log/log-ports.ts";
import type { KeptTail } from "./kept-tail.ts";
import type { MemoryShare } from "../memory/memory-budget.ts";
import type { OutlineTurns } from "./outline-turns.ts";
import type { OutlineChannel } from "./outline-channel.ts";
import type { Timers } from "../turns/timers.ts";

/**
 * What an open outline needs from `Documents`, all for this outline. Parts of what is stored are read
 * in turn with those of other outlines; see `StoredReads`.
 */
export interface DocumentPorts extends LogPorts {
  readonly limits: DocumentLimits;
  readonly timers: Timers;
  readonly turns: OutlineTurns;
  readonly events: DocumentEvents;
  readonly channel: OutlineChannel;
  readonly now: () => number;
  /** Of the memory for outlines; ended by `Documents`. */
  readonly share: MemoryShare;
  /**
   * Takes what is known to be durable of a replica that is lost.
   * @param hasOwner whether somebody else seems to have the outline, and all that was durable of it
   */
  readonly keepTail: (tail: KeptTail, hasOwner: boolean) => void;
  /** Whether what is in memory may be served; false when another process may have changed it. */
  readonly holds: () => boolean;
  /** Runs a compaction when no other outline's is running. */
  readonly whenFree: (work: () => Promise<void>) => Promise<void>;
}
