import type { AccountStore, AccountNews } from "../../accounts/account-store.ts";
import type { RandomBytes } from "../../accounts/api-key.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { OutlineLog } from "../../documents/log/outline-log.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import type { StoreEvents } from "../store-events.ts";
import { storeClosed } from "../store-failure.ts";
import { type Purpose, SERVING } from "../purpose.ts";
import type { StoreIntake } from "../store-move.ts";
import type { StoreProgress } from "../store-progress.ts";
import type { TailLimits } from "../tail-limits.ts";
import { DEFAULT_TAIL } from "../tail-limits.ts";
import { CommitLane } from "./commit-lane.ts";
import { DEFAULT_LEASE_MS, join, takeoverMsOf } from "./joining.ts";
import { Membership } from "./membership.ts";
import { reading } from "./outline-names.ts";
import { OutlineRows, verifyOutlineRows } from "./outline-rows.ts";
import { PostgresAccounts } from "./postgres-accounts.ts";
import { PostgresLog } from "./postgres-log.ts";
import { PostgresIntake } from "./postgres-intake.ts";
import type { Alarms } from "./pause.ts";
import { Places } from "./places.ts";
import { SqlPool } from "./sql-pool.ts";
import { DEFAULT_SQL_LIMITS, type SqlOptions } from "./sql-session.ts";

export interface PostgresStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly tail?: TailLimits;
  readonly events?: StoreEvents;
  readonly purpose?: Purpose;
  /**
   * Where other processes reach this one, host and port, when several serve the database; else it has
   * the database alone.
   */
  readonly address?: string | undefined;
  /** Which service these processes are; others are kept out. */
  readonly clusterName?: string;
  /** How long what may take; else as the server has it. */
  readonly limits?: Partial<PostgresLimits>;
}

export interface PostgresLimits extends Omit<SqlOptions, "url" | "silenceMs"> {
  /** How long a process may serve without hearing of the database. */
  readonly leaseMs: number;
}

/** An outline that can't be read whole, and why. */
export interface PostgresFinding {
  readonly outline: OutlineId;
  readonly finding: string;
}

const MAX_BATCH_BYTES = 1024 * 1024;

const ALARMS: Alarms = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

function epochFrom(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(10)).toString("hex");
}

/**
 * The durable store of one server in a database of PostgreSQL, which one process serves at a time.
 * Every answer that it gives is on stable storage. When the database fails, nothing is acknowledged;
 * it is connected to again without a restart.
 */
export class PostgresStore {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
  /** Where outlines are served, for a process beside others. */
  readonly places: Places;
  readonly #membership: Membership;
  readonly #pool: SqlPool;
  readonly #lane: CommitLane;
  /** What is under way for somebody who waits, one for each. [Q66] */
  readonly #operations = new Set<Promise<unknown>>();
  readonly #randomBytes: RandomBytes;
  #closing: Promise<void> | undefined;

  /**
   * Makes the tables when there are none.
   * @param url `postgres://user:password@host:port/database?…`
   * @throws StoreError `store_locked` when another process serves the database, `store_unavailable`,
   *   `store_corrupt`
   */
  static async open(url: string, options: PostgresStoreOptions): Promise<PostgresStore> {
    const { now, randomBytes, events = {}, purpose = SERVING, address } = options;
    const { clusterName = "outline" } = options;
    const ownLeaseMs = DEFAULT_LEASE_MS[address === undefined ? "alone" : "beside"];
    const limits = { ...DEFAULT_SQL_LIMITS, leaseMs: ownLeaseMs, ...options.limits };
    const { leaseMs, ...rest } = limits;
    const sql = { ...rest, silenceMs: takeoverMsOf(leaseMs), url };
    const clocks = { now: Date.now, elapsed: () => performance.now() };
    const newEpoch = (): string => epochFrom(randomBytes);
    const coming = { ...clocks, sql, leaseMs, purpose, address, clusterName, newEpoch };
    const membership = await Membership.open({
      ...clocks,
      join: (before) => join(coming, before),
      leaseMs,
      alarms: ALARMS,
      onFailure: (error) => events.onFailure?.(error),
      onRecovery: () => events.onRecovery?.(),
    });
    const pool = new SqlPool(sql);
    const places = new Places({
      membership,
      sql: pool,
      onTaken: events.onTaken,
      elapsed: clocks.elapsed,
      alarms: ALARMS,
    });
    try {
      const lane = await CommitLane.open({
        sql,
        pool,
        membership,
        now,
        maxBatchBytes: MAX_BATCH_BYTES,
        onCommit: (statistics) => events.onCommit?.(statistics),
        onFailure: (error) => events.onFailure?.(error),
        onRefused: (outline) => {
          places.forget(outline);
          events.onRefused?.();
        },
      });
      // Others may be silent as well, as those to a machine that is gone: nobody is to wait for them.
      membership.onLapse((cause) => {
        lane.hangUp(cause);
        pool.hangUp();
      });
      return new PostgresStore(options, { membership, lane, pool, places });
    } catch (error) {
      await pool.close();
      await membership.close();
      throw error;
    }
  }

  private constructor(
    { now, randomBytes, tail = DEFAULT_TAIL }: PostgresStoreOptions,
    opened: {
      readonly membership: Membership;
      readonly lane: CommitLane;
      readonly pool: SqlPool;
      readonly places: Places;
    },
  ) {
    const { membership, lane, pool, places } = opened;
    this.places = places;
    this.#membership = membership;
    this.#lane = lane;
    this.#pool = pool;
    this.#randomBytes = randomBytes;
    const operation = <T>(task: () => Promise<T>): Promise<T> => this.#operation(task);
    const close = (): Promise<void> => this.close();
    const onRefused = (outline: OutlineId): void => places.forget(outline);
    const mayClaim = (outline: OutlineId): boolean => places.mayClaim(outline);
    const parts = { membership, pool, operation };
    this.log = new PostgresLog({ ...parts, lane, now, tail, onRefused, mayClaim, close });
    this.accounts = new PostgresAccounts(parts);
  }

  /** Random; tells this store from others, for as long as it lives. */
  get name(): string {
    return this.#membership.first.name;
  }

  get epochOrdinal(): number {
    return this.#membership.require().epochOrdinal;
  }

  /** Of a store that was opened to be made another one. */
  intake(): StoreIntake {
    const { log, accounts } = this;
    return new PostgresIntake({
      log,
      accounts,
      membership: this.#membership,
      pool: this.#pool,
      operation: (task) => this.#operation(task),
      newEpoch: () => epochFrom(this.#randomBytes),
    });
  }

  /** Whether what was loaded may be served: no other process can have changed it. */
  holds(): boolean {
    return this.#membership.holds();
  }

  /** The callback is called when all that was loaded must go. Returns the way to stop. */
  onLapse(callback: () => void): () => void {
    return this.#membership.onLapse(callback);
  }

  /** The callback is called when it may serve again behind a lapse. */
  onRejoin(callback: () => void): void {
    this.#membership.onRejoin(callback);
  }

  /** The callback is called with what other processes have changed, before they answer. */
  onNews(callback: (news: AccountNews) => void): void {
    this.#membership.onNews(callback);
  }

  /** Reads every record of every outline; empty when all is as it was written. */
  verifyAll(onProgress: (progress: StoreProgress) => void): Promise<readonly PostgresFinding[]> {
    return this.#operation(async () => {
      const findings: PostgresFinding[] = [];
      let of = 0;
      for await (const _ of this.log.outlines()) of += 1;
      let done = 0;
      for await (const outline of this.log.outlines()) {
        try {
          await reading(outline, () =>
            this.#pool.transaction("read", (run) =>
              verifyOutlineRows(new OutlineRows(run, this.#membership.require(), outline)),
            ),
          );
        } catch (error) {
          if (!(error instanceof StoreError) || error.code !== "outline_corrupt") throw error;
          findings.push({ outline, finding: error.message });
        }
        done += 1;
        onProgress({ outlines: done, of: Math.max(done, of) });
      }
      return findings;
    });
  }

  /** Waits for what is under way. What comes after is refused with `store_closed`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#operations);
    await this.#lane.close();
    await this.#pool.close();
    await this.#membership.close();
  }

  async #operation<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw storeClosed();
    const running = task();
    this.#operations.add(running);
    try {
      return await running;
    } finally {
      this.#operations.delete(running);
    }
  }
}
