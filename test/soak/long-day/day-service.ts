import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { Accounts } from "../../../src/accounts/accounts.ts";
import type { OutlineId } from "../../../src/core/node-key.ts";
import { DEFAULT_WRONG_KEYS_PER_MINUTE, SignIns } from "../../../src/accounts/sign-ins.ts";
import { Documents } from "../../../src/documents/documents.ts";
import { Turns } from "../../../src/documents/turns/turns.ts";
import { createApp } from "../../../src/http/create-app.ts";
import { acceptWebsockets } from "../../../src/http/intake/websocket-upgrades.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { SyncServer } from "../../../src/sync/sync-server.ts";
import type { SyncDocuments } from "../../../src/sync/sync-document.ts";
import { QUIET_LOGGER } from "../../support/quiet-logger.ts";
import { SocketClock } from "../../support/socket-clock.ts";
import { newMemory } from "../../support/test-memory.ts";

export interface User {
  readonly key: string;
  readonly outline: OutlineId;
}

/** The whole service on LevelDB, whose time is moved by hand. */
export interface DayService {
  readonly url: string;
  readonly clock: SocketClock;
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly sync: SyncServer;
  readonly users: readonly User[];
  close(): Promise<void>;
}

/** The disk works in real time: in simulated time it may take as long as it likes. */
const EVER_MS = 2 ** 40;

export async function openDayService(
  userCount: number,
  forSync: (documents: Documents) => SyncDocuments,
): Promise<DayService> {
  const folder = await mkdtemp(join(tmpdir(), "outline-day-"));
  const clock = new SocketClock();
  const { now } = clock;
  const store = await LevelStore.open(folder, { now, randomBytes });
  const accounts = new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
  const documents = new Documents({
    log: store.log,
    now,
    random: Math.random,
    timers: clock,
    limits: { appendTimeoutMs: EVER_MS, loadTimeoutMs: EVER_MS },
  });
  const memory = newMemory();
  const signIns = new SignIns({ accounts, perMinute: DEFAULT_WRONG_KEYS_PER_MINUTE, now });
  const app = createApp({
    documents,
    accounts,
    memory,
    signIns,
    name: "test",
    now,
    elapsed: () => performance.now(),
    timers: clock,
    yieldNow: () => clock.yieldNow(),
    turns: new Turns(clock, now),
    logger: QUIET_LOGGER,
    limits: { requestsPerMinute: 20 },
    metrics: new Registry(),
    health: () => store.log.probe(),
    takeToken: (key, windowMs) => store.log.takeToken(key, windowMs),
  });
  const sync = new SyncServer({
    documents: forSync(documents),
    accounts,
    memory,
    signIns,
    name: "test",
    now,
    timers: clock,
    logger: QUIET_LOGGER,
  });
  acceptWebsockets(app, (request, socket, head) => sync.handleUpgrade(request, socket, head));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const users: User[] = [];
  for (let index = 0; index < userCount; index++) {
    const added = await accounts.addUser(`user${index}`);
    if (added.kind !== "added") throw new Error(added.kind);
    users.push({ key: added.key, outline: added.user.outline });
  }
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    clock,
    accounts,
    documents,
    sync,
    users,
    async close() {
      await sync.close();
      await app.close();
      await documents.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
