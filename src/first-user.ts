import { randomBytes } from "node:crypto";
import type { UserId } from "./accounts/account-store.ts";
import { hashOfKey, randomLetters } from "./accounts/api-key.ts";
import { StartError } from "./start-error.ts";
import type { OpenService } from "./open-service.ts";

const FIRST_USER = "me" as UserId;

/**
 * Makes the user `me` when there are no users yet, and sees to it that a given key opens the outline
 * of `me`.
 * @returns a key that was made here, and that nobody knows yet
 * @throws StartError when the given key is another user's
 */
export async function ensureFirstUser(
  { accounts, store }: OpenService,
  givenKey: string | undefined,
): Promise<string | undefined> {
  if (givenKey === undefined) {
    if ((await accounts.listUsers()).length > 0) return undefined;
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
