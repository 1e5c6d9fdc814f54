import { createHash } from "node:crypto";
import * as Y from "yjs";
import { isUserId, type UserId } from "../../../src/accounts/account-store.ts";
import type { NewKey } from "../../../src/accounts/accounts.ts";
import { isNodeKey } from "../../../src/core/node-key.ts";
import { MemoryStore } from "../../support/memory-store/memory-store.ts";
import { startService, type TestService } from "../../support/service.ts";
import { type WatchedLog, watchedLog } from "../hostile-messages/watched-log.ts";
import { brokenAccounts } from "./broken-accounts.ts";

/** Stands in all that a victim has written. */
export const SECRET = "zqsecretqz";

/** Somebody who has something that others must not see. */
export interface Victim {
  readonly user: UserId;
  readonly key: string;
  readonly outline: string;
  /** Full ids of nodes that others try to reach. */
  readonly nodeIds: readonly string[];
  readonly shortcut: string;
  readonly keyIds: readonly string[];
  readonly sessionIds: readonly string[];
  readonly webhookIds: readonly string[];
}

/** The service and who is on it; time moves by hand. */
export interface KeyWorld {
  readonly service: TestService;
  readonly log: WatchedLog;
  advance(ms: number): void;
  newKey(user: UserId, input?: Partial<NewKey>): Promise<{ id: string; key: string }>;
  newVictim(name: string | undefined): Promise<Victim>;
  /** A hash of all that a victim has, to the bit. */
  stateOf(victim: Victim): Promise<string>;
  close(): Promise<void>;
}

export async function openKeyWorld(control: string | undefined): Promise<KeyWorld> {
  let skippedMs = 0;
  const now = (): number => Date.now() + skippedMs;
  const store = new MemoryStore({ now });
  const log = watchedLog();
  const service = await startService({
    store: {
      log: store.log,
      accounts: brokenAccounts(store.accounts, control),
      close: () => store.close(),
    },
    now,
    exportLimitMs: 0,
    wrongKeysPerMinute: 0,
    logger: log.logger,
    sync: () => ({ limits: { connectionsPerUser: 1_000 } }),
  });
  const { accounts, documents } = service;

  async function newKey(user: UserId, input: Partial<NewKey> = {}) {
    const created = await accounts.createKey(user, { name: SECRET, ...input });
    if (created.kind !== "created") throw new Error(created.kind);
    return created;
  }

  return {
    service,
    log,
    advance: (ms) => (skippedMs += ms),
    newKey,
    async newVictim(name) {
      const { user, key } = name === undefined ? service : await service.newUser(name);
      if (!isUserId(user)) throw new Error(user);
      const nodeIds: string[] = [];
      for (const parent_id of [null, "inbox", "today"]) {
        const text = secretOf(user, nodeIds.length);
        const body = { parent_id: nodeIds.at(-1) ?? parent_id, name: text, note: text };
        const made = await service.request("POST", "/api/v1/nodes", body, { key });
        nodeIds.push((made.body as { item_id: string }).item_id);
      }
      const shortcut = `${user}-${SECRET}`;
      await service.request("POST", "/api/v1/targets", { key: shortcut, id: nodeIds[0] }, { key });
      await newKey(user);
      const keyIds = (await accounts.listKeys(user)).map(({ id }) => id);
      await service.signIn(key);
      const sessionIds = (await accounts.listSessions(user)).map(({ id }) => id);
      const url = `https://${SECRET}.example/${SECRET}`;
      await service.request("POST", "/api/v1/webhooks", { url, name: SECRET }, { key });
      const { outline } = (await accounts.user(user)) ?? {};
      if (outline === undefined) throw new Error(`no user ${user}`);
      const webhookIds = (await accounts.webhooks.of(outline)).map(({ id }) => id);
      return { user, key, outline, nodeIds, shortcut, keyIds, sessionIds, webhookIds };
    },
    async stateOf({ user }) {
      const known = await accounts.user(user);
      if (known === undefined) throw new Error(`no user ${user}`);
      const keys = (await accounts.listKeys(user)).map(({ id }) => id);
      keys.push(...(await accounts.listSessions(user)).map(({ id }) => id));
      // How far it has come, it may write down by itself.
      for (const webhook of await accounts.webhooks.of(known.outline)) {
        const { id, name, url, root, kinds, fields, secret, off } = webhook;
        keys.push(JSON.stringify({ id, name, url, root, kinds, fields, secret, off }));
      }
      const state = await documents.use(known.outline, (document) =>
        document.read(({ doc }) => Y.encodeStateAsUpdate(doc)),
      );
      return createHash("sha256").update(state).update(keys.join()).digest("hex");
    },
    close: () => service.close(),
  };
}

/** What a victim has written in one of the nodes. */
export function secretOf(user: string, index: number): string {
  return `${SECRET} of ${user}, ${index}`;
}

/** The key of a node in its full id. */
export function nodeKeyIn(id: string) {
  const key = id.slice(-12);
  if (!isNodeKey(key)) throw new Error(id);
  return key;
}
