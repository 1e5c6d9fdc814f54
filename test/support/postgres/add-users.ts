import { randomBytes } from "node:crypto";
import { Accounts } from "../../../src/accounts/accounts.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { PATIENT } from "./postgres-server.ts";

/** As many as the store has connections for them. */
const AT_ONCE = 6;

/** Adds many users to a database that nobody serves. @returns a key of each */
export async function addUsers(url: string, count: number): Promise<readonly string[]> {
  const common = { now: Date.now, randomBytes };
  const store = await PostgresStore.open(url, { ...common, limits: PATIENT });
  const keys: string[] = [];
  try {
    const accounts = new Accounts({ ...common, store: store.accounts, random: Math.random });
    let next = 0;
    const add = async (): Promise<void> => {
      while (next < count) {
        const added = await accounts.addUser(`user-${next++}`);
        if (added.kind !== "added") throw new Error(added.kind);
        keys.push(added.key);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, add));
  } finally {
    await store.close();
  }
  return keys;
}
