import { LevelReplicaStore } from "./level-replica-store.ts";
import { checkAddress, openReplica } from "../open.ts";
import type { OutlineId } from "../../../src/core/node-key.ts";
import type { Replica } from "../replica.ts";
import type { ReplicaStore } from "../store/replica-store.ts";
import { soleTab } from "../tab-group.ts";
import { nodePlatform } from "./node-platform.ts";

export interface NodeOpenOptions {
  /** Where the service is: `http://localhost:8080`. */
  readonly url: string;
  readonly key: string;
  /** A folder, which one program at a time may use, or a store. */
  readonly store: string | ReplicaStore;
  readonly outline?: OutlineId | undefined;
}

/**
 * Opens a replica in a Node program, which it keeps alive until it is closed. Resolves when what is
 * stored is loaded, whether or not the server answers.
 * @throws StoreError when the store can't be opened or read
 * @throws TypeError when the address or the key can't be one
 */
export async function open({ url, key, store, outline }: NodeOpenOptions): Promise<Replica> {
  checkAddress(url, key);
  const opened = typeof store === "string" ? await LevelReplicaStore.open(store) : store;
  const platform = nodePlatform(url, key);
  return openReplica({ store: opened, tabs: soleTab(), platform, outline });
}
