import { afterEach, describe } from "vitest";

import { replicaBatchContract } from "./replica-batch-contract.ts";
import { replicaCompactionContract } from "./replica-compaction-contract.ts";
import { replicaHandlesContract } from "./replica-handles-contract.ts";
import type { Places, ReplicaStoreDriver } from "./replica-store-driver.ts";

/** Every rule of the port that a test can show on any driver. */
export function replicaStoreContract(driver: ReplicaStoreDriver): void {
  describe(`replica store: ${driver.name}`, () => {
    const places = placesOf(driver);
    replicaBatchContract(places);
    replicaCompactionContract(places);
    if (driver.handles === "many") replicaHandlesContract(places);
  });
}

/** Makes places for the tests of a suite; after each test all stores are closed and all is removed. */
function placesOf(driver: ReplicaStoreDriver): Places {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  const newPlace: Places["newPlace"] = async () => {
    const place = await driver.newPlace();
    cleanups.push(() => place.remove());
    return {
      ...place,
      open: async () => {
        const store = await place.open();
        cleanups.push(() => store.close());
        return store;
      },
    };
  };
  return { newPlace, newStore: async () => (await newPlace()).open() };
}
