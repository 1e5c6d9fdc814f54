import { describe, expect, test } from "vitest";
import type { KeyRecord, User, UserId, WebhookRecord } from "../../src/accounts/account-store.ts";
import { hashOfKey } from "../../src/accounts/api-key.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { storesOf } from "./open-stores.ts";
import { anOutline, type OpenStore, type StoreDriver } from "./store-driver.ts";

const UPDATE = Uint8Array.of(0, 0);
const MOST = 20;

function aKey({ id: user }: User, name: string, maker?: KeyRecord): KeyRecord {
  return {
    id: `key_${user}_${name}`,
    user,
    hash: hashOfKey(`${user} ${name}`),
    name,
    scope: "write",
    root: undefined,
    maker: maker?.id,
    createdAt: 1_700_000_000,
    lastUsedAt: undefined,
    expiresAt: undefined,
  };
}

function aWebhook(user: User, key: KeyRecord, name: string): WebhookRecord {
  return {
    id: `hook_${user.id}_${name}`,
    user: user.id,
    outline: user.outline,
    keyId: key.id,
    keyHash: key.hash,
    name: `\0 ${name} \uD83D`,
    url: "https://example.org/",
    root: ROOT,
    kinds: ["created"],
    fields: "nodes",
    secret: "whsec_secret",
    createdAt: 1_700_000_000,
    revision: 0,
    cursor: "first",
  };
}

/** A user with a key in a store, and what makes webhooks of that key. */
async function userIn({ accounts }: OpenStore, id = "me") {
  const user: User = { id: id as UserId, outline: anOutline(), createdAt: 1_700_000_000 };
  const key = aKey(user, "first");
  await accounts.addUser(user, key);
  const asker = { keyId: key.id, sessionId: undefined };
  return {
    user,
    key,
    asker,
    async add(name: string, of = key): Promise<WebhookRecord> {
      const webhook = aWebhook(user, of, name);
      expect(await accounts.addWebhook(webhook, asker, MOST)).toBe("added");
      return webhook;
    },
  };
}

/** Every rule of webhooks in the port of accounts, on any driver. */
export function webhookStoreContract(driver: StoreDriver): void {
  describe(`webhooks: ${driver.name}`, () => {
    const openStore = storesOf(driver);

    test("[P110] those of an outline come in the order in which they were added, after a restart too", async () => {
      const first = await openStore();
      const me = await userIn(first);
      const you = await userIn(first, "you");
      const added = [];
      for (const name of ["z", "a", "m"]) added.push(await me.add(name));
      await you.add("yours");
      const { accounts } = await first.restart();
      expect(await accounts.webhooksOf(me.user.outline)).toEqual(added);
      expect(await accounts.webhooksOf(anOutline())).toEqual([]);
      expect((await accounts.keysOf(me.user.id)).length).toBe(1);
    });

    test("[P110] only a key that is there adds one, and as many as may be", async () => {
      const store = await openStore();
      const { accounts } = store;
      const me = await userIn(store);
      const { user, key, asker } = me;
      await me.add("1");
      expect(await accounts.addWebhook(aWebhook(user, key, "2"), asker, 1)).toBe("full");
      const gone = { keyId: "key_gone", sessionId: undefined };
      expect(await accounts.addWebhook(aWebhook(user, key, "2"), gone, MOST)).toBe("asker_ended");
      const signedOut = { keyId: key.id, sessionId: "session_gone" };
      expect(await accounts.addWebhook(aWebhook(user, key, "2"), signedOut, MOST)).toBe(
        "asker_ended",
      );
      const attempts = ["a", "b", "c"].map((name) =>
        accounts.addWebhook(aWebhook(user, key, name), asker, 2),
      );
      expect((await Promise.all(attempts)).toSorted()).toEqual(["added", "full", "full"]);
      expect(await accounts.webhooksOf(user.outline)).toHaveLength(2);
    });

    test("[P110] a change is made of what it was made from, or not at all", async () => {
      const first = await openStore();
      const me = await userIn(first);
      const webhook = await me.add("1");
      const others = [await me.add("2"), await me.add("3")];
      const next = { ...webhook, revision: 1, cursor: "second", off: "by hand" };
      const both = await Promise.all([
        first.accounts.changeWebhook(next),
        first.accounts.changeWebhook({ ...next, cursor: "too late" }),
      ]);
      expect(both.filter(Boolean)).toHaveLength(1);
      expect(await first.accounts.changeWebhook(next)).toBe(false);
      expect(await first.accounts.changeWebhook({ ...next, id: "hook_none" })).toBe(false);
      const [changed] = await first.accounts.webhooksOf(me.user.outline);
      expect(changed).toEqual(both[0] ? next : { ...next, cursor: "too late" });
      expect(await first.accounts.removeWebhook(webhook)).toBe(true);
      expect(await first.accounts.removeWebhook(webhook)).toBe(false);
      expect(await first.accounts.changeWebhook({ ...next, revision: 2 })).toBe(false);
      const { accounts } = await first.restart();
      expect(await accounts.webhooksOf(me.user.outline)).toEqual(others);
    });

    test("[P110] another outline's is not removed", async () => {
      const { accounts, log } = await openStore();
      const me = await userIn({ accounts, log });
      const webhook = await me.add("1");
      expect(await accounts.removeWebhook({ ...webhook, outline: anOutline() })).toBe(false);
      expect(await accounts.webhooksOf(me.user.outline)).toEqual([webhook]);
    });

    test("[P110] they go with the key that made them, those that it made, and the user", async () => {
      const { accounts, log } = await openStore();
      const me = await userIn({ accounts, log });
      const maker = aKey(me.user, "maker");
      const made = aKey(me.user, "made", maker);
      for (const key of [maker, made]) await accounts.addKey(key);
      const stays = await me.add("stays");
      await me.add("of maker", maker);
      await me.add("of made", made);
      await accounts.removeKey(me.user.id, maker.id);
      expect(await accounts.webhooksOf(me.user.outline)).toEqual([stays]);
      await accounts.removeUser(me.user.id);
      expect(await accounts.webhooksOf(me.user.outline)).toEqual([]);
      expect(await accounts.webhooksBehind()).toEqual([]);
    });

    test("[P111] those behind are the ones that have not reached the end of the log, or reached another", async () => {
      const first = await openStore();
      const me = await userIn(first);
      const { log, accounts } = first;
      const { outline } = me.user;
      const term = await log.claim(outline);
      await log.append(outline, { updates: [UPDATE], term });
      const { epoch } = await log.load(outline);
      const set = async (name: string, values: Partial<WebhookRecord>) => {
        const webhook = await me.add(name);
        await accounts.changeWebhook({ ...webhook, ...values, revision: 1 });
      };
      const behind = async () =>
        (await accounts.webhooksBehind()).map(({ id }) => id.slice(id.lastIndexOf("_") + 1));
      await set("new", {});
      await set("there", { reached: { epoch, head: 1 } });
      await set("other", { reached: { epoch: "another", head: 1 } });
      await set("off", { off: "switched off" });
      expect((await behind()).toSorted()).toEqual(["new", "other"]);
      await log.append(outline, { updates: [UPDATE], term });
      expect((await behind()).toSorted()).toEqual(["new", "other", "there"]);
    });
  });
}
