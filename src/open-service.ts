import { randomBytes } from "node:crypto";
import { getHeapStatistics } from "node:v8";
import { setTimeout as delay } from "node:timers/promises";
import { Accounts } from "./accounts/accounts.ts";
import { AdminService } from "./admin/admin-service.ts";
import type { Watchdog } from "./charges/watchdog.ts";
import type { Config } from "./config.ts";
import type { OutlineId } from "./core/node-key.ts";
import type { DocumentEvents } from "./documents/document-events.ts";
import { TAKEN_OVER } from "./documents/replica/document-listener.ts";
import { Documents } from "./documents/documents.ts";
import { documentLimitsOf } from "./limits.ts";
import { openStore, type Store } from "./open-store.ts";
import { Turns } from "./documents/turns/turns.ts";
import { makeFolder } from "./store/make-folder.ts";
import { type Purpose, SERVING } from "./store/purpose.ts";
import type { LackingUpdates } from "./store/level/lacking-updates.ts";
import type { StoreEvents } from "./store/store-events.ts";
import { type ThreadEvents, watchThread } from "./thread-watch.ts";
import { yieldNow } from "./yield-now.ts";

/** The service without its network side. */
export interface OpenService {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly admin: AdminService;
  /** In which all long work is done, whoever asks for it. */
  readonly turns: Turns;
  /** Sees what holds the thread for long. */
  readonly watchdog: Watchdog;
  /**
   * Other processes serve outlines beside this one.
   * @param bring has an outline served here, for what only this process is asked
   */
  beside(bring: BringHere): void;
  /** Makes everything durable and lets go of the data folder. */
  close(): Promise<void>;
}

type BringHere = (outline: OutlineId) => Promise<void>;

async function isHere(): Promise<void> {}

export const TIMERS = {
  setTimeout: (callback: () => void, ms: number): unknown => setTimeout(callback, ms),
  clearTimeout: (handle: unknown): void => clearTimeout(handle as NodeJS.Timeout | undefined),
  yieldNow: (): Promise<void> => yieldNow(),
  rest: (): Promise<void> => delay(1),
};

export interface ServiceEvents {
  readonly threadEvents?: ThreadEvents;
  readonly storeEvents?: StoreEvents;
  readonly documentEvents?: DocumentEvents;
  /** A backup took the place of what was there. */
  readonly onRestored?: (lacking: LackingUpdates) => void;
}

interface OpenServiceOptions {
  /** Where other processes of the service reach this one: then it serves the database beside them. */
  readonly address?: string | undefined;
  readonly purpose?: Purpose;
}

/**
 * Opens the store: that of the data folder, or a database. This process then holds it alone.
 * @throws StoreError
 */
export async function openService(
  config: Config,
  events: ServiceEvents = {},
  { address, purpose = SERVING }: OpenServiceOptions = {},
): Promise<OpenService> {
  const now = Date.now;
  await makeFolder(config.data);
  const store = await openStore(config, {
    now,
    randomBytes,
    events: events.storeEvents ?? {},
    address,
    purpose,
  });
  const accounts = new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
  const thread = watchThread(events.threadEvents ?? {});
  const { watchdog } = thread;
  const turns = new Turns(TIMERS, () => performance.now(), watchdog);
  const documents = new Documents({
    log: store.log,
    now,
    turns,
    holds: () => store.holds(),
    random: Math.random,
    timers: TIMERS,
    limits: documentLimitsOf(config, getHeapStatistics().heap_size_limit),
    events: events.documentEvents ?? {},
  });
  let bringHere: BringHere = isHere;
  const admin = new AdminService({
    accounts,
    documents,
    log: store.log,
    whole: store.whole({
      accounts,
      documents,
      onRestored: (lacking) => events.onRestored?.(lacking),
    }),
    maxImportNodes: config.maxImportNodes,
    now,
    bringHere: (outline) => bringHere(outline),
  });
  store.onNews((news) => accounts.changedElsewhere(news));
  store.onLapse(() => {
    // Another process may have revoked keys, and may write.
    accounts.storeReplaced();
    documents.evictAll(TAKEN_OVER, false);
  });
  store.onRejoin(() => void documents.bringBack((outline) => bringHere(outline)));
  return {
    store,
    accounts,
    documents,
    admin,
    turns,
    watchdog,
    beside(bring) {
      bringHere = bring;
    },
    async close() {
      thread.close();
      await documents.close();
      await store.close();
    },
  };
}
