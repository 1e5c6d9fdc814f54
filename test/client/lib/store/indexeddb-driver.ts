import { IDBFactory, IDBKeyRange, IDBObjectStore } from "fake-indexeddb";

import { compactDatabase } from "../../../../client/lib/browser/compact-database.ts";
import { IndexedDbStore } from "../../../../client/lib/browser/indexeddb-store.ts";
import type { ReplicaStoreDriver } from "../../../contract/replica-store-driver.ts";

/** The store takes key ranges from the browser that it runs in. */
globalThis.IDBKeyRange = IDBKeyRange;

let putsUntilFull = Infinity;
// oxlint-disable-next-line typescript/unbound-method -- called with its store below
const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function putUntilFull(...args) {
  putsUntilFull -= 1;
  if (putsUntilFull >= 0) return put.apply(this, args);
  putsUntilFull = Infinity;
  throw new DOMException("no space is left", "QuotaExceededError");
};

/** Makes the next write fail at its second record. */
export function fillUpIndexedDb(): void {
  putsUntilFull = 1;
}

/** The IndexedDB store on an IndexedDB in memory, with compaction in this very thread. */
export const indexedDbDriver: ReplicaStoreDriver = {
  name: "indexeddb",
  handles: "many",
  newPlace: async () => {
    const factory = new IDBFactory();
    return {
      open: () =>
        IndexedDbStore.open("replica", {
          factory,
          compactor: (name) => compactDatabase(factory, name),
        }),
      fillUp: fillUpIndexedDb,
      lose: () =>
        new Promise((resolve, reject) => {
          const request = factory.deleteDatabase("replica");
          request.addEventListener("success", () => resolve());
          request.addEventListener("error", () => reject(request.error ?? new Error()));
        }),
      remove: async () => undefined,
    };
  },
};
