import type { AccountStore } from "../accounts/account-store.ts";
import type { RandomBytes } from "../accounts/api-key.ts";
import type { OutlineLog } from "../documents/outline-log.ts";
import type { OpenDatabase } from "./database.ts";
import { LevelAccounts } from "./level-accounts.ts";
import { openLevelDatabase } from "./level-database.ts";
import { LevelLog } from "./level-log.ts";
import type { StoreEvents } from "./store-core.ts";
import { StoreCore } from "./store-core.ts";
import type { TailLimits } from "./tail-limits.ts";
import { DEFAULT_TAIL } from "./tail-limits.ts";

export interface LevelStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly tail?: TailLimits;
  /** A commit takes no further write once it holds this much. */
  readonly maxBatchBytes?: number;
  readonly events?: StoreEvents;
  /** What to open instead of LevelDB, or around it. */
  readonly openDatabase?: OpenDatabase;
}

const DEFAULT_MAX_BATCH_BYTES = 1024 * 1024;

/**
 * The durable store of one server: outline logs, users and keys in one LevelDB, which one process
 * has open at a time. Every answer that it gives is on stable storage. When the disk fails, nothing
 * is acknowledged; the database is opened again for the next caller, without a restart.
 */
export class LevelStore {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
  readonly #core: StoreCore;

  /**
   * Opens the store in a folder; makes folder and store when there are none.
   * @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt`
   */
  static async open(folder: string, options: LevelStoreOptions): Promise<LevelStore> {
    const { now, randomBytes, events = {}, tail = DEFAULT_TAIL } = options;
    const core = await StoreCore.open(folder, {
      now,
      newEpoch: () => Buffer.from(randomBytes(10)).toString("hex"),
      openDatabase: options.openDatabase ?? openLevelDatabase,
      maxBatchBytes: options.maxBatchBytes ?? DEFAULT_MAX_BATCH_BYTES,
      events,
    });
    return new LevelStore(core, { now, tail });
  }

  private constructor(
    core: StoreCore,
    { now, tail }: { readonly now: () => number; readonly tail: TailLimits },
  ) {
    this.#core = core;
    this.log = new LevelLog(core, { now, tail, close: () => this.close() });
    this.accounts = new LevelAccounts(core);
  }

  /** Waits for what is under way. What comes after is refused with `store_closed`. */
  close(): Promise<void> {
    return this.#core.close();
  }
}
