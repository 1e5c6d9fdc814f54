import type { OutlineId } from "../../../src/core/node-key.ts";
import { NoStore } from "../no-store.ts";
import { openReplica } from "../open.ts";
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
}

const DEFAULT_NAME = "outline";

/**
 * Opens a replica in a page. Resolves when what is stored is loaded, whether or not the server
 * answers. Where the browser stores nothing, the replica works without, and its status says so.
 * @throws StoreError `newer`, `busy`: another version of the program has the store
 */
export async function open(options: BrowserOpenOptions = {}): Promise<Replica> {
  const { url = location.origin, key, name = DEFAULT_NAME, outline, onPartMissing } = options;
  const given = { outline, onPartMissing };
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
