import type { AccountStore } from "../../../src/accounts/account-store.ts";
import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";
import { MemoryAccounts } from "./memory-accounts.ts";
import { MemoryCommitQueue } from "./memory-commit-queue.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { newMemoryDisk } from "./memory-disk.ts";
import { MemoryLog } from "./memory-log.ts";
import type { TailLimits } from "../../../src/store/tail-limits.ts";
import { DEFAULT_TAIL } from "../../../src/store/tail-limits.ts";

export interface MemoryStoreOptions {
  /** What an earlier store left; a fresh one without it. */
  readonly disk?: MemoryDisk;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly tail?: TailLimits;
  /**
   * Awaited before every commit: lets a test hold commits back, or fail them by throwing, upon which
   * everything that waits is rejected with `store_unavailable`.
   */
  readonly beforeCommit?: () => Promise<void> | void;
}

/**
 * A store in memory, for tests: same order, same refusals and same asynchrony as the durable ones,
 * commits and failed commits included.
 */
export class MemoryStore {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
  readonly #disk: MemoryDisk;

  constructor(options: MemoryStoreOptions = {}) {
    const { disk = newMemoryDisk(), now = Date.now, tail = DEFAULT_TAIL } = options;
    const queue = new MemoryCommitQueue(async () => options.beforeCommit?.());
    this.#disk = disk;
    this.log = new MemoryLog({ disk, queue, now, tail });
    this.accounts = new MemoryAccounts(disk, queue);
  }

  /** Begins a new history, as a restored backup does. */
  startEpoch(epoch: string): void {
    this.#disk.epoch = epoch;
    this.#disk.epochOrdinal += 1;
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
