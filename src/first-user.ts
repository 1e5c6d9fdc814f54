import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { AccountStore, UserId } from "./accounts/account-store.ts";
import type { Accounts } from "./accounts/accounts.ts";
import { hashOfKey, randomLetters } from "./accounts/api-key.ts";
import { StartError } from "./start-error.ts";
import type { Store } from "./open-store.ts";

const FIRST_USER = "me" as UserId;

/** What a start has made of users and keys. */
export interface FirstUser {
  /** A key that was made, and that nobody knows yet. */
  readonly newKey: string | undefined;
  /** Takes back what was made: the start has failed. */
  undo(): Promise<void>;
}

/**
 * Makes the user `me` when there are no users yet, and sees to it that a given key opens the outline
 * of `me`.
 * @param storeFolder the folder of the store; undefined for a database
 * @throws StartError when the given key is another user's, or when there were users before the store
 *   was damaged
 */
export async function ensureFirstUser(
  { accounts, store }: { readonly accounts: Accounts; readonly store: Pick<Store, "accounts"> },
  storeFolder: string | undefined,
  givenKey: string | undefined,
): Promise<FirstUser> {
  // The list is read only where `me` was removed.
  const isEmpty =
    (await accounts.user(FIRST_USER)) === undefined && (await accounts.listUsers()).length === 0;
  if (isEmpty && storeFolder !== undefined) await refuseToForget(storeFolder);
  if (givenKey === undefined && !isEmpty) return NOTHING_MADE;
  const options = givenKey === undefined ? {} : { key: givenKey, keyName: "OUTLINE_API_KEY" };
  const added = await accounts.addUser(FIRST_USER, options);
  if (added.kind === "added") {
    const newKey = givenKey === undefined ? added.key : undefined;
    return { newKey, undo: async () => void (await accounts.removeUser(FIRST_USER)) };
  }
  if (givenKey === undefined) {
    // Another process, which has begun at the same time, has made it and shows its key.
    if (added.kind === "exists") return NOTHING_MADE;
    throw new Error(`the first user: ${added.kind}`);
  }
  return addGivenKey(store.accounts, accounts, givenKey);
}

const NOTHING_MADE: FirstUser = { newKey: undefined, undo: async () => undefined };

async function addGivenKey(
  store: AccountStore,
  accounts: Accounts,
  givenKey: string,
): Promise<FirstUser> {
  const hash = hashOfKey(givenKey);
  const owner = (await store.keyByHash(hash))?.user;
  if (owner === FIRST_USER) return NOTHING_MADE;
  if (owner !== undefined) {
    throw new StartError(`OUTLINE_API_KEY is a key of the user "${owner}": choose another.`);
  }
  const id = `key_${randomLetters(16, randomBytes)}`;
  await store.addKey({
    id,
    user: FIRST_USER,
    hash,
    name: "OUTLINE_API_KEY",
    scope: "write",
    root: undefined,
    maker: undefined,
    createdAt: Math.floor(Date.now() / 1000),
    lastUsedAt: undefined,
    expiresAt: undefined,
  });
  return { newKey: undefined, undo: async () => void (await accounts.revokeKey(FIRST_USER, id)) };
}

/**
 * A repair that has found no users has lost them: to begin anew beside what is set aside would look
 * as if everything were well.
 */
async function refuseToForget(storeFolder: string): Promise<void> {
  const aside = `${basename(storeFolder)}.damaged-`;
  const names = await readdir(dirname(storeFolder));
  const damaged = names.find((name) => name.startsWith(aside));
  if (damaged === undefined) return;
  throw new StartError(
    `The users were lost with the damaged store that is kept in "${damaged}": restore a backup, or take that folder away to begin anew.`,
  );
}
