import { randomBytes } from "node:crypto";
import { beforeAll } from "vitest";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";
import { accountStoreContract } from "./account-store-contract.ts";
import { outlineLogContract } from "./outline-log-contract.ts";
import type { StoreDriver } from "./store-driver.ts";
import { webhookStoreContract } from "./webhook-store-contract.ts";

let server: PostgresServer | undefined;

beforeAll(async () => {
  server = await PostgresServer.shared();
});

const postgresDriver: StoreDriver = {
  name: "postgres",
  newPlace: async () => {
    if (server === undefined) throw new Error("no server");
    const tables = server;
    const url = server.urlOf("postgres");
    return {
      open: (options = {}) =>
        PostgresStore.open(url, { now: Date.now, randomBytes, limits: PATIENT, ...options }),
      // Much faster than a database for each.
      remove: () => tables.empty(),
    };
  },
};

outlineLogContract(postgresDriver);
accountStoreContract(postgresDriver);
webhookStoreContract(postgresDriver);
