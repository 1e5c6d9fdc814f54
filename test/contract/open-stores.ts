import { afterEach } from "vitest";

import type { DriverOptions, OpenStore, StoreDriver } from "./store-driver.ts";

export interface Opened extends OpenStore {
  /** Closes the store and opens it again in the same place. */
  restart(options?: DriverOptions): Promise<Opened>;
}

/**
 * Opens stores for the tests of a suite, each in a place of its own; after each test all are closed
 * and their places removed.
 */
export function storesOf(driver: StoreDriver): (options?: DriverOptions) => Promise<Opened> {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  return async (options) => {
    const place = await driver.newPlace();
    cleanups.push(() => place.remove());
    const opened = (store: OpenStore): Opened => {
      cleanups.push(() => store.log.close());
      return {
        log: store.log,
        accounts: store.accounts,
        restart: async (again = options) => {
          await store.log.close();
          return opened(await place.open(again));
        },
      };
    };
    return opened(await place.open(options));
  };
}
