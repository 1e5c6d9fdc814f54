import type { MemoryLedger } from "../charges/memory-ledger.ts";
import type { Watch } from "../charges/watchdog.ts";
import type { Timers } from "../documents/turns/timers.ts";
import type { SyncDocuments } from "./sync-document.ts";
import type { SyncEvents } from "./sync-events.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** What is worth a line in the log; keys never are. */
export interface SyncLogger {
  error(fields: object, message: string): void;
}

/** What every room and session works with. */
export interface SyncContext {
  readonly documents: SyncDocuments;
  readonly limits: SyncLimits;
  readonly timers: Timers;
  readonly logger: SyncLogger;
  readonly events: SyncEvents;
  readonly memory: MemoryLedger;
  readonly watchdog: Watch;
  /** Milliseconds since 1970. */
  now(): number;
}
