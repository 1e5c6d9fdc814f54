import { randomBytes } from "node:crypto";
import { afterEach, beforeAll } from "vitest";
import {
  PostgresStore,
  type PostgresStoreOptions,
} from "../../../src/store/postgres/postgres-store.ts";
import { PATIENT, PostgresServer } from "./postgres-server.ts";

export const DATABASE = "postgres";

/** A server for tests, each of which finds an empty database. */
export interface TestPostgres {
  readonly server: PostgresServer;
  readonly sql: (text: string) => Promise<readonly Record<string, unknown>[]>;
  /** A store on the database, which is closed behind the test. @throws StoreError as it does */
  readonly open: (options?: Partial<PostgresStoreOptions>) => Promise<PostgresStore>;
}

/** To be called once, in a test file. */
export function usePostgres(): TestPostgres {
  let server: PostgresServer | undefined;
  const stores: PostgresStore[] = [];

  beforeAll(async () => {
    server = await PostgresServer.shared();
  });

  const postgres: TestPostgres = {
    get server() {
      if (server === undefined) throw new Error("no server was started");
      return server;
    },
    sql: (text) => postgres.server.run(DATABASE, text),
    open: async (options = {}) => {
      const store = await PostgresStore.open(postgres.server.urlOf(DATABASE), {
        now: Date.now,
        randomBytes,
        limits: PATIENT,
        ...options,
      });
      stores.push(store);
      return store;
    },
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await postgres.server.empty();
  });
  return postgres;
}
