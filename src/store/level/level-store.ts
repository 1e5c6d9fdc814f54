import type { AccountStore } from "../../accounts/account-store.ts";
import type { RandomBytes } from "../../accounts/api-key.ts";
import type { OutlineLog } from "../../documents/log/outline-log.ts";
import type { Backup } from "./backup.ts";
import { backUp } from "./backup.ts";
import type { OpenDatabase } from "../database.ts";
import { KeyedSerial } from "../keyed-serial.ts";
import { LevelAccounts } from "./level-accounts.ts";
import { openLevelDatabase } from "./level-database.ts";
import { LevelIntake } from "./level-intake.ts";
import { LevelLog } from "./level-log.ts";
import type { LackingUpdates } from "./lacking-updates.ts";
import { type Purpose, SERVING } from "../purpose.ts";
import type { Restore } from "./restore.ts";
import { restore } from "./restore.ts";
import type { StoreCoreOptions } from "./store-core.ts";
import type { StoreEvents } from "../store-events.ts";
import { StoreCore } from "./store-core.ts";
import type { StoreIntake } from "../store-move.ts";
import type { StoreProgress } from "../store-progress.ts";
import type { StoreFinding } from "./verify-outline.ts";
import { verifyStore } from "./verify-store.ts";
import type { TailLimits } from "../tail-limits.ts";
import { DEFAULT_TAIL } from "../tail-limits.ts";

export interface LevelStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly tail?: TailLimits;
  /** A commit takes no further write once it holds this much. */
  readonly maxBatchBytes?: number;
  readonly events?: StoreEvents;
  readonly purpose?: Purpose;
  /** What to open instead of LevelDB, or around it. */
  readonly openDatabase?: OpenDatabase;
}

type OnProgress = (progress: StoreProgress) => void;

interface OpenedStoreOptions extends StoreCoreOptions {
  readonly tail: TailLimits;
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
  readonly #options: OpenedStoreOptions;
  readonly #restores = new KeyedSerial<"restore">();

  /**
   * Opens the store in a folder; makes folder and store when there are none.
   * @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt`
   */
  static async open(folder: string, options: LevelStoreOptions): Promise<LevelStore> {
    const { now, randomBytes, openDatabase = openLevelDatabase, tail = DEFAULT_TAIL } = options;
    const opened = {
      now,
      tail,
      openDatabase,
      newEpoch: () => Buffer.from(randomBytes(10)).toString("hex"),
      maxBatchBytes: options.maxBatchBytes ?? DEFAULT_MAX_BATCH_BYTES,
      events: options.events ?? {},
      purpose: options.purpose ?? SERVING,
    };
    return new LevelStore(await StoreCore.open(folder, opened), opened);
  }

  private constructor(core: StoreCore, options: OpenedStoreOptions) {
    const { now, tail } = options;
    this.#core = core;
    this.#options = options;
    this.log = new LevelLog(core, { now, tail, close: () => this.close() });
    this.accounts = new LevelAccounts(core);
  }

  /** Random; tells this store from others, for as long as it lives. */
  get name(): string {
    return this.#core.history.meta.name ?? "";
  }

  get epochOrdinal(): number {
    return this.#core.history.meta.epochOrdinal;
  }

  /** Of a store that was opened to be made another one. */
  intake(): StoreIntake {
    const { log, accounts } = this;
    return new LevelIntake(this.#core, { log, accounts, newEpoch: this.#options.newEpoch });
  }

  /** Copies the store as it is now into a folder that is empty or missing, while it serves. */
  backup(folder: string, onProgress: OnProgress = ignoreProgress): Promise<Backup> {
    const { now, openDatabase } = this.#options;
    return this.#core.operation(() =>
      backUp(this.#core, { folder, openDatabase, now, onProgress }),
    );
  }

  /**
   * Replaces everything with a backup, in one step, and begins a new epoch. Replicas of the replaced
   * outlines can't write any more: have them loaded again, and cached keys forgotten, as soon as
   * `onReplaced` is called. To remove what was replaced may take a while longer.
   */
  restore(
    folder: string,
    onProgress: OnProgress = ignoreProgress,
    onReplaced: (lacking: LackingUpdates) => void = () => undefined,
  ): Promise<Restore> {
    const { newEpoch, openDatabase } = this.#options;
    return this.#core.operation(() =>
      this.#restores.run("restore", () =>
        restore(this.#core, { folder, openDatabase, newEpoch, onProgress, onReplaced }),
      ),
    );
  }

  /** Reads every record of the store; empty when all is as it was written. */
  verifyAll(onProgress: OnProgress = ignoreProgress): Promise<readonly StoreFinding[]> {
    return this.#core.operation(() =>
      this.#core.read((view, history) =>
        verifyStore(view, history, () => this.#core.requireOpen(), onProgress),
      ),
    );
  }

  /** Waits for what is under way. What comes after is refused with `store_closed`. */
  close(): Promise<void> {
    return this.#core.close();
  }
}

function ignoreProgress(): void {}
