import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { OutlineChannel } from "./outline-channel.ts";
import type { Append, LoadedOutline, Seq, Snapshot } from "./outline-log.ts";
import type { Timers } from "./timers.ts";
import type { Turn } from "./turns.ts";

/** What an open outline needs from `Documents`, all for this outline. */
export interface DocumentPorts {
  readonly limits: DocumentLimits;
  readonly timers: Timers;
  readonly turn: Turn;
  readonly events: DocumentEvents;
  readonly channel: OutlineChannel;
  readonly now: () => number;
  /** @throws UnavailableError while the store fails */
  readonly requireStore: () => void;
  /** The calls of the log, bounded in time. @throws UnavailableError, StoreError `outline_corrupt` */
  readonly append: (append: Append) => Promise<Seq>;
  readonly load: (after?: Seq) => Promise<LoadedOutline>;
  readonly saveSnapshot: (snapshot: Snapshot, epoch: string) => Promise<boolean>;
  /** Runs a compaction when no other outline's is running. */
  readonly whenFree: (work: () => Promise<void>) => Promise<void>;
}
