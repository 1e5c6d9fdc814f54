import type { AccountStore, AccountNews } from "./accounts/account-store.ts";
import type { RandomBytes } from "./accounts/api-key.ts";
import type { Handlers, StoreOperation } from "./admin/operation-handlers.ts";
import type { OwnedOutlines } from "./cluster/balance.ts";
import type { PlacesOfOutlines } from "./cluster/passer.ts";
import type { Config } from "./config.ts";
import type { DocumentsLoad } from "./documents/documents-options.ts";
import type { OutlineLog } from "./documents/log/outline-log.ts";
import type { Purpose } from "./store/purpose.ts";
import type { StoreEvents } from "./store/store-events.ts";
import { storeFolderOf } from "./store-folder.ts";
import { type StoreUsers, wholeLevelStore, wholePostgresStore } from "./whole-store.ts";

/** What a service is opened on; the drivers are in `store/`. */
export interface Store {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
  /** Tells this store from others, for as long as it lives. */
  readonly name: string;
  /** Whether what was loaded from it may be served. O(1); asked at each read. */
  holds(): boolean;
  /** The callback is called when `holds` has become false: all that was loaded must go. */
  onLapse(callback: () => void): void;
  /**
   * The callback is called with the keys and sessions that another process has changed, before that one
   * answers.
   */
  onNews(callback: (news: AccountNews) => void): void;
  /** The callback is called when it may be served again, and may have another history. */
  onRejoin(callback: () => void): void;
  /** Of one that several processes serve beside each other. */
  readonly places?: Places;
  whole(users: StoreUsers): Handlers<StoreOperation>;
  close(): Promise<void>;
}

/** Where the outlines of a store are served. */
export interface Places extends PlacesOfOutlines, OwnedOutlines {
  /** By which the processes know each other. */
  readonly secret: string;
  /** How many outlines this process has. */
  readonly owned: number;
  /** How many processes there are, with this one. */
  readonly processes: number;
  /** How long the last heartbeat took until it was durable. */
  readonly heartbeatMs: number;
  /** What the others are told of this process, from when it can take something. */
  tellLoad(load: () => DocumentsLoad): void;
  /** Says that this process is about to end. @throws StoreError */
  leave(): Promise<void>;
}

interface OpenStoreOptions {
  /** Where other processes reach this one; without it, it has the store alone. */
  readonly address: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly events: StoreEvents;
  readonly purpose: Purpose;
}

/**
 * Opens the store that the options name, which one process has open at a time. What it needs is
 * loaded only then.
 * @throws StoreError
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<Store> {
  if (config.store !== undefined) {
    const { PostgresStore } = await import("./store/postgres/postgres-store.ts");
    const { clusterName } = config;
    const store = await PostgresStore.open(config.store, { ...options, clusterName });
    return {
      log: store.log,
      accounts: store.accounts,
      name: store.name,
      ...(options.address !== undefined && { places: store.places }),
      holds: () => store.holds(),
      onLapse: (callback) => void store.onLapse(callback),
      onNews: (callback) => store.onNews(callback),
      onRejoin: (callback) => store.onRejoin(callback),
      whole: () => wholePostgresStore(store),
      close: () => store.close(),
    };
  }
  const { LevelStore } = await import("./store/level/level-store.ts");
  const store = await LevelStore.open(storeFolderOf(config), options);
  return {
    log: store.log,
    accounts: store.accounts,
    name: store.name,
    holds: () => true,
    onLapse: () => undefined,
    onNews: () => undefined,
    onRejoin: () => undefined,
    whole: (users) => wholeLevelStore(store, users),
    close: () => store.close(),
  };
}
