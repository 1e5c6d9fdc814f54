import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { UserId } from "./accounts/account-store.ts";
import { hashOfKey, randomLetters } from "./accounts/api-key.ts";
import { StartError } from "./start-error.ts";
import type { OpenService } from "./open-service.ts";

const FIRST_USER = "me" as UserId;

/**
 * Makes the user `me` when there are no users yet, and sees to it that a given key opens the outline
 * of `me`.
 * @param storeFolder the folder of the store
 * @returns a key that was made here, and that nobody knows yet
 * @throws StartError when the given key is another user's, or when there were users before the store
 *   was damaged
 */
export async function ensureFirstUser(
  { accounts, store }: OpenService,
  storeFolder: string,
  givenKey: string | undefined,
): Promise<string | undefined> {
  const isEmpty = (await accounts.listUsers()).length === 0;
  if (isEmpty) await refuseToForget(storeFolder);
  if (givenKey === undefined) {
    if (!isEmpty) return undefined;
    const added = await accounts.addUser(FIRST_USER);
    if (added.kind !== "added") throw new Error(`the first user: ${added.kind}`);
    return added.key;
  }
  const added = await accounts.addUser(FIRST_USER, { key: givenKey, keyName: "OUTLINE_API_KEY" });
  if (added.kind === "added") return undefined;
  const hash = hashOfKey(givenKey);
  const owner = (await store.accounts.keyByHash(hash))?.user;
  if (owner !== undefined && owner !== FIRST_USER) {
    throw new StartError(`OUTLINE_API_KEY is a key of the user "${owner}": choose another.`);
  }
  if (owner === undefined) {
    await store.accounts.addKey({
      id: `key_${randomLetters(16, randomBytes)}`,
      user: FIRST_USER,
      hash,
      name: "OUTLINE_API_KEY",
      scope: "write",
      root: undefined,
      createdAt: Math.floor(Date.now() / 1000),
      lastUsedAt: undefined,
      expiresAt: undefined,
    });
  }
  return undefined;
}

/**
 * A salvage that has found no users has lost them: to begin anew beside what is set aside would look
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
