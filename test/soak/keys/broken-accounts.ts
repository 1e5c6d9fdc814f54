import type { AccountStore, KeyRecord, UserId } from "../../../src/accounts/account-store.ts";

type Breakage = (store: AccountStore) => Partial<AccountStore>;

function readAs(change: (record: KeyRecord) => KeyRecord): Breakage {
  return (store) => ({
    async keyByHash(hash) {
      const record = await store.keyByHash(hash);
      return record === undefined ? undefined : change(record);
    },
  });
}

/** What is wrong with the accounts, by the name of the control. */
const BREAKAGES: Readonly<Record<string, Breakage>> = {
  "revocation-is-forgotten": (store) => ({
    async removeKey(user, id) {
      const key = (await store.keysOf(user)).find((each) => each.id === id);
      return key === undefined ? undefined : { keys: [], sessions: [] };
    },
  }),
  "expiry-is-ignored": readAs((record) => ({ ...record, expiresAt: undefined })),
  "scope-is-ignored": readAs((record) => ({ ...record, scope: "write" })),
  "root-is-ignored": readAs((record) => ({ ...record, root: undefined })),
  "audience-is-ignored": (store) => ({
    async keyByHash(hash) {
      const record = await store.keyByHash(hash);
      if (record?.grant?.kind !== "token") return record;
      const key = (await store.keysOf(record.user)).find(({ id }) => id === record.maker);
      if (key === undefined) return undefined;
      const { grant: _grant, ...bare } = key;
      return { ...bare, hash };
    },
  }),
  "grants-have-no-limits": (store) => ({
    async keysOf(user) {
      const keys = await store.keysOf(user);
      return keys.map((key) =>
        key.grant?.kind === "key" ? { ...key, scope: "write", root: undefined } : key,
      );
    },
  }),
  "tokens-outlive-their-hour": readAs((record) =>
    record.grant?.kind === "token" ? { ...record, expiresAt: undefined } : record,
  ),
  // The first user's outline is everybody's.
  "one-outline-for-all": (store) => ({
    async user(id: UserId) {
      const user = await store.user(id);
      const first = (await store.users()).find((each) => each.id === "me");
      return user === undefined || first === undefined ? user : { ...user, outline: first.outline };
    },
  }),
};

/** The accounts of a store, broken as the control says. */
export function brokenAccounts(store: AccountStore, control: string | undefined): AccountStore {
  const breakage = control === undefined ? undefined : BREAKAGES[control];
  if (breakage === undefined) return store;
  const broken = breakage(store);
  return new Proxy(store, {
    get: (target, name: keyof AccountStore) => broken[name] ?? target[name].bind(target),
  });
}
