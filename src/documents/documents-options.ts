import type { Random } from "../core/node-key.ts";
import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { OutlineLog } from "./log/outline-log.ts";
import type { Timers } from "./turns/timers.ts";
import type { Turns } from "./turns/turns.ts";

export interface DocumentsOptions {
  readonly log: OutlineLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets, for turns of its own; else `now`. */
  readonly elapsed?: () => number;
  /** What it shares with whoever else has long work; without, turns of its own. */
  readonly turns?: Turns;
  /** As in `DocumentPorts`; for a store that no other process can take over, nothing. */
  readonly holds?: () => boolean;
  readonly random: Random;
  readonly timers: Timers;
  readonly limits?: Partial<DocumentLimits>;
  readonly events?: DocumentEvents;
}

export interface DocumentStats {
  /** Outlines in memory. */
  readonly open: number;
  /** Of them, those that somebody uses now. */
  readonly pinned: number;
  /** Memory that they take, estimated. */
  readonly bytes: number;
  /** False while the store fails. */
  readonly isStoreWorking: boolean;
}

/** How much there is to do here. */
export interface DocumentsLoad {
  /** Outlines that are in memory or that somebody follows. */
  readonly outlines: number;
  /** See `Documents.isFull`. */
  readonly isFull: boolean;
}
