import { type User, type UserId, isUserId } from "../accounts/account-store.ts";
import { MOST_KEYS } from "../accounts/accounts.ts";
import { keyNameProblem } from "../accounts/key-name.ts";
import { type NodeKey, ROOT } from "../core/node-key.ts";
import { find } from "../core/reference.ts";
import { type AdminParts, DONE, type Handlers, refused } from "./operation-handlers.ts";
import { referenceIn } from "./reference-in.ts";

type AccountOperation =
  | "user-add"
  | "user-list"
  | "user-remove"
  | "key-add"
  | "key-list"
  | "key-revoke"
  | "session-list"
  | "session-end";

/** Users, their keys and their browsers. */
export function accountHandlers(parts: AdminParts): Handlers<AccountOperation> {
  const { accounts, documents } = parts;
  return {
    async "user-add"({ user }, { onItem }) {
      const added = await accounts.addUser(user);
      switch (added.kind) {
        case "added":
          await onItem?.({ key: added.key });
          return DONE;
        case "exists":
          return refused(`There is a user "${user}" already.`);
        case "invalid_user":
          return refused("A user's name has 1 to 64 of the characters a-z 0-9 . _ -");
        case "invalid_key":
          throw new Error("a generated key is acceptable and new");
      }
    },

    async "user-list"(_params, { onItem }) {
      for (const { id, outline, createdAt } of await accounts.listUsers()) {
        await onItem?.({ user: id, outline, createdAt });
      }
      return DONE;
    },

    async "user-remove"({ user }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      // First the keys, which closes the sockets; then the outline that nobody can reach any more. The
      // user goes last: what breaks off before can be asked for again.
      for (const { id } of await accounts.listKeys(known.id)) {
        await accounts.revokeKey(known.id, id);
      }
      await parts.bringHere(known.outline);
      await documents.drop(known.outline);
      await accounts.removeUser(known.id);
      return DONE;
    },

    async "key-add"({ user, name, scope, root, expiresAt }, { onItem }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      const trimmed = name.trim();
      const problem = keyNameProblem(trimmed);
      if (problem !== undefined) return refused(`--name can't be used: ${problem}.`);
      let rootKey: NodeKey | undefined;
      if (root !== undefined) {
        await parts.bringHere(known.outline);
        rootKey = await documents.use(known.outline, (document) =>
          document.read((outline) => find(outline, referenceIn(outline, root, parts.now))),
        );
        if (rootKey === undefined) return refused(`There is no node "${root}".`);
        // Whoever asks for a limit, with an empty variable perhaps, must not get a key without one.
        if (rootKey === ROOT) {
          return refused(
            `"${root}" is no node but the top level, which every key without a root has.`,
          );
        }
      }
      const created = await accounts.createKey(known.id, {
        name: trimmed,
        scope,
        ...(rootKey !== undefined && { root: rootKey }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      switch (created.kind) {
        case "created":
          await onItem?.({ id: created.id, key: created.key });
          return DONE;
        case "full":
          return refused(
            `The user "${user}" has ${MOST_KEYS} keys: revoke those that nobody uses.`,
          );
        case "unknown_user":
          return noSuchUser(user);
        case "too_long":
        case "too_much":
        case "ended":
          throw new Error("only a key that is made by another one is limited by it");
      }
    },

    async "key-list"({ user }, { onItem }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      for (const key of await accounts.listKeys(known.id)) {
        await onItem?.({
          id: key.id,
          name: key.name,
          scope: key.scope,
          root: key.root ?? null,
          createdAt: key.createdAt,
          lastUsedAt: key.lastUsedAt ?? null,
          expiresAt: key.expiresAt ?? null,
          maker: key.maker ?? null,
        });
      }
      return DONE;
    },

    async "key-revoke"({ user, id }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      const ended = await accounts.revokeKey(known.id, id);
      return ended === "done" ? DONE : refused(`The user "${user}" has no key "${id}".`);
    },

    async "session-list"({ user }, { onItem }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      for (const session of await accounts.listSessions(known.id)) {
        const { id, keyId, browser, createdAt, lastUsedAt, expiresAt } = session;
        await onItem?.({ id, key: keyId, browser, createdAt, lastUsedAt, expiresAt });
      }
      return DONE;
    },

    async "session-end"({ user, id }) {
      const known = await userNamed(parts, user);
      if (known === undefined) return noSuchUser(user);
      const choice = id === null ? { allBut: undefined } : { id };
      const ended = await accounts.endSessions(known.id, choice);
      return ended === "done" || id === null
        ? DONE
        : refused(`The user "${user}" has no session "${id}".`);
    },
  };
}

export async function userNamed(
  { accounts }: Pick<AdminParts, "accounts">,
  name: string,
): Promise<User | undefined> {
  return isUserId(name) ? accounts.user(name satisfies UserId) : undefined;
}

export function noSuchUser(name: string) {
  return refused(`There is no user "${name}".`);
}
