import { nodeIdOf, ROOT, type Random } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { CLOSE_CODE } from "../../../src/protocol/close-code.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import { waitUntil } from "../failing-store/wait-until.ts";
import type { DayService, User } from "./day-service.ts";

/** More lines than this nobody keeps. */
const MOST_LINES = 30;

/** What happened, by name. */
export type Counts = Record<string, number>;

/** Leaves, in whatever way. */
export type Leave = () => void;

/** Somebody comes; answers how they leave, which they may do much later. */
export type Visit = (day: DayService, user: User, random: Random, counts: Counts) => Promise<Leave>;

function count(counts: Counts, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

function socketAddress({ url }: DayService): string {
  return `${url.replace("http", "ws")}/sync/me`;
}

/** A new line, and the oldest one goes when there are many. */
function editSome(outline: Outline, random: Random, counts: Counts): void {
  for (let edits = 1 + integerBelow(random, 4); edits > 0; edits--) {
    outline.create({ parent: ROOT, name: `a line of about usual length, ${random()}` });
    count(counts, "edits");
  }
  const keys = outline.childKeys(ROOT);
  for (const key of keys.slice(MOST_LINES)) outline.remove(key);
}

const extended: Visit = async (day, user, random, counts) => {
  const device = new Device();
  const outline = Outline.attach(device.doc, {
    id: user.outline,
    now: day.clock.now,
    random,
    isDevice: true,
  });
  const client = new SyncClient({ url: socketAddress(day), key: user.key, device });
  await waitUntil(() => client.isLive, "a device is connected");
  client.announce({ client: device.doc.clientID, clock: 1, state: { name: "somebody" } });
  editSome(outline, random, counts);
  await waitUntil(() => client.unsaved === 0, "edits are acknowledged");
  count(counts, "extended");
  return random() < 0.5 ? () => client.close() : () => client.kill();
};

const stock: Visit = async (day, user, random, counts) => {
  const client = connectStockClient(day.url, user.key);
  await waitUntil(() => client.provider.synced, "a stock client is connected");
  editSome(client.outline, random, counts);
  count(counts, "stock");
  return () => {
    client.provider.awareness.destroy();
    client.leave();
    client.doc.destroy();
  };
};

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function request(
  day: DayService,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const send = (): Promise<Response> =>
    fetch(`${day.url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  // A connection that was kept may end just when it is used again.
  const response = await send().catch(send);
  return { status: response.status, body: await response.json() };
}

/** A program, which sometimes asks more often than it may. */
const rest: Visit = async (day, user, random, counts) => {
  const times = random() < 0.2 ? 30 : 3;
  for (let time = 0; time < times; time++) {
    const made = await request(day, user.key, "POST", "nodes", { name: `by a program ${time}` });
    count(counts, made.status === 429 ? "rateLimited" : "requests");
    const listed = await request(day, user.key, "GET", "nodes");
    if (listed.status !== 200) continue;
    const { nodes } = listed.body as { readonly nodes: readonly { readonly id: string }[] };
    for (const { id } of nodes.slice(MOST_LINES))
      await request(day, user.key, "DELETE", `nodes/${id}`);
  }
  const inbox = nodeIdOf(user.outline, ROOT);
  await request(day, user.key, "GET", `nodes/${inbox}`);
  const exported = await request(day, user.key, "GET", "nodes-export");
  count(counts, exported.status === 429 ? "rateLimited" : "exports");
  return () => undefined;
};

/** A key is made, used by a socket, and revoked, which ends the socket. */
const revoked: Visit = async (day, user, _random, counts) => {
  const created = await request(day, user.key, "POST", "keys", { name: "for an hour" });
  if (created.status !== 200) return () => undefined;
  const { id, key } = created.body as { readonly id: string; readonly key: string };
  const client = new SyncClient({ url: socketAddress(day), key, device: new Device() });
  await waitUntil(() => client.isLive, "the new key opens a socket");
  const { status } = await request(day, user.key, "DELETE", `keys/${id}`);
  await waitUntil(
    () => client.closed !== undefined || status !== 200,
    "the revoked key's is closed",
  );
  if (client.closed?.code === CLOSE_CODE.unauthorized) count(counts, "revoked");
  return () => client.kill();
};

/** Somebody who guesses keys. */
const guessing: Visit = async (day, _user, random, counts) => {
  const key = `ok_${String(random()).slice(2).padEnd(32, "x")}`;
  const { status } = await request(day, key, "GET", "nodes");
  if (status === 401 || status === 429) count(counts, "failedSignIns");
  const client = new SyncClient({ url: socketAddress(day), key, device: new Device() });
  await waitUntil(() => client.closed !== undefined, "a guessed key opens nothing");
  return () => client.kill();
};

export function nextVisit(random: Random): Visit {
  return oneOf(random, [extended, extended, extended, stock, stock, rest, rest, revoked, guessing]);
}
