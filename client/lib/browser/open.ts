import type { OutlineId } from "../../../src/core/node-key.ts";
import { NoStore } from "../no-store.ts";
import { checkAddress, openReplica } from "../open.ts";
import type { Replica } from "../replica.ts";
import { type ReplicaStore, StoreError } from "../store/replica-store.ts";
import { soleTab } from "../tab-group.ts";
import { browserPlatform } from "./browser-platform.ts";
import { IndexedDbStore } from "./indexeddb-store.ts";
import { browserTabs } from "./tab-group.ts";

export interface BrowserOpenOptions {
  /** Where the service is; absent: where the page comes from. */
  readonly url?: string;
  /** Absent: the page's cookie tells who it is. */
  readonly key?: string;
  /** A store that only this replica uses; absent: IndexedDB, shared with other tabs. */
  readonly store?: ReplicaStore;
  /** Of the database in IndexedDB: one for each outline. */
  readonly name?: string;
  readonly outline?: OutlineId;
  /** Called when a part of the library, fetched when it is needed, can't be had; it is tried again. */
  readonly onPartMissing?: () => void;
  /**
   * Asked when the browser, or somebody, has deleted what is stored while the replica is open, before all
   * of it is stored once more: false after a sign-out. Absent: it is not stored any more until it is opened
   * again.
   */
  readonly mayStoreAnew?: () => boolean;
}

const DEFAULT_NAME = "outline";

/**
 * Opens a replica in a page. Resolves when what is stored is loaded, whether or not the server
 * answers. Where the browser stores nothing, the replica works without, and its status says so.
 * @throws StoreError `newer`, `busy`: another version of the program has the store
 * @throws TypeError when the address or the key can't be one
 */
export async function open(options: BrowserOpenOptions = {}): Promise<Replica> {
  const { url = location.origin, key, name = DEFAULT_NAME, outline } = options;
  const { onPartMissing, mayStoreAnew } = options;
  checkAddress(url, key);
  const given = { outline, onPartMissing, mayStoreAnew };
  if (options.store !== undefined) {
    const platform = browserPlatform(url, key, undefined);
    return openReplica({ store: options.store, tabs: soleTab(), platform, ...given });
  }
  const platform = browserPlatform(url, key, name);
  try {
    const store = await IndexedDbStore.open(name);
    return await openReplica({ store, tabs: browserTabs(name), platform, ...given });
  } catch (error) {
    if (!(error instanceof StoreError) || !NoStore.canReplace(error.code)) throw error;
    return openReplica({ store: new NoStore(error), tabs: soleTab(), platform, ...given });
  }
}
