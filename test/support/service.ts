import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as yieldNow } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import type { AccountStore } from "../../src/accounts/account-store.ts";
import { Accounts } from "../../src/accounts/accounts.ts";
import { DEFAULT_WRONG_KEYS_PER_MINUTE, SignIns } from "../../src/accounts/sign-ins.ts";
import type { MemoryLedger, MemoryLimits } from "../../src/charges/memory-ledger.ts";
import type { Watchdog } from "../../src/charges/watchdog.ts";
import type { DocumentEvents } from "../../src/documents/document-events.ts";
import type { DocumentLimits } from "../../src/documents/document-limits.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { Timers } from "../../src/documents/turns/timers.ts";
import { Turns } from "../../src/documents/turns/turns.ts";
import type { OutlineLog } from "../../src/documents/log/outline-log.ts";
import type { AppFile } from "../../src/http/app-files.ts";
import { type AppOptions, createApp } from "../../src/http/create-app.ts";
import type { FetchJsonOptions } from "../../src/http/outgoing/fetch-json.ts";
import type { HttpLimits } from "../../src/http/http-limits.ts";
import { acceptWebsockets } from "../../src/http/intake/websocket-upgrades.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { MemoryStore } from "./memory-store/memory-store.ts";
import { type SyncOptions, SyncServer } from "../../src/sync/sync-server.ts";
import { httpAnswer } from "./http-answer.ts";
import { QUIET_LOGGER } from "./quiet-logger.ts";
import { newMemory } from "./test-memory.ts";

/** A store that a test opened itself, to break it or to keep it. The service closes it. */
interface OpenStore {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** `memory` when not given. `level` is LevelDB in `folder`, or in one that goes with the service. */
  readonly store?: "memory" | "level" | OpenStore;
  readonly folder?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds by which work is measured; a clock that nobody sets when not given. */
  readonly elapsed?: () => number;
  /** As the server has it when not given. */
  readonly exportLimitMs?: number;
  readonly limits?: Partial<HttpLimits>;
  /** Plain HTTP when not given; with it `request` and `signIn` don't work. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly memoryLimits?: Partial<MemoryLimits>;
  /** For each network; as the server has it when not given. */
  readonly wrongKeysPerMinute?: number;
  readonly metricsKey?: string;
  readonly documentLimits?: Partial<DocumentLimits>;
  readonly logger?: FastifyBaseLogger;
  readonly appFiles?: readonly AppFile[];
  /** How the documents of OAuth clients are fetched; as the server does it when not given. */
  readonly outgoing?: FetchJsonOptions;
  readonly documentEvents?: DocumentEvents;
  /** Without it names have no address: nothing leaves this machine. */
  readonly webhooks?: AppOptions["webhooks"];
  /** Nobody sees what takes long when not given. */
  readonly watchdog?: Watchdog;
  /** Those of requests that are held. */
  readonly heldTimers?: Pick<Timers, "setTimeout" | "clearTimeout">;
  /** What of the websocket side is to be otherwise; it gets the documents that it would have. */
  readonly sync?: (
    documents: Documents,
  ) => Partial<Pick<SyncOptions, "documents" | "limits" | "events">>;
}

interface RequestOptions {
  /** The first user's when not given; null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, else text. */
  readonly body: unknown;
}

/** The service as the server wires it, listening on a port of its own, with one user. */
export interface TestService {
  readonly url: string;
  readonly user: string;
  readonly key: string;
  /** For tests that look behind the API. */
  readonly app: FastifyInstance;
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly sync: SyncServer;
  /** What is held for clients. */
  readonly memory: MemoryLedger;
  /** What `/metrics` shows. */
  readonly metrics: Registry;
  readonly store: OpenStore;
  /** As the service has it. */
  readonly now: () => number;
  /** @param body sent as JSON; a string as it is */
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<ServiceAnswer>;
  /** Signs a browser in. @returns its cookie: name and value */
  signIn(key?: string, userAgent?: string): Promise<string>;
  newUser(name: string): Promise<{ readonly user: string; readonly key: string }>;
  close(): Promise<void>;
}

const TIMERS = {
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
  yieldNow: () => yieldNow(),
};

/** Starts a service; the test closes it. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { now = Date.now, logger = QUIET_LOGGER, exportLimitMs, limits, appFiles } = options;
  const { documentLimits = {} } = options;
  const { store, cleanUp } = await openStore(options, now);
  const accounts = new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
  const elapsed = options.elapsed ?? (() => performance.now());
  const { watchdog } = options;
  const turns = new Turns(TIMERS, elapsed, watchdog);
  const documents = new Documents({
    log: store.log,
    now,
    turns,
    random: Math.random,
    timers: TIMERS,
    limits: documentLimits,
    events: options.documentEvents ?? {},
  });
  const metrics = new Registry();
  const memory = newMemory(options.memoryLimits);
  const perMinute = options.wrongKeysPerMinute ?? DEFAULT_WRONG_KEYS_PER_MINUTE;
  const signIns = new SignIns({ accounts, perMinute, now });
  const app = createApp({
    documents,
    accounts,
    memory,
    signIns,
    name: "test",
    metricsKey: options.metricsKey,
    now,
    elapsed,
    timers: options.heldTimers ?? TIMERS,
    yieldNow: TIMERS.yieldNow,
    turns,
    logger,
    tls: options.tls,
    limits: { ...(exportLimitMs === undefined ? undefined : { exportLimitMs }), ...limits },
    metrics,
    webhooks: { resolve: async () => [], ...options.webhooks },
    health: () => documents.probe(),
    takeToken: (key, windowMs) => store.log.takeToken(key, windowMs),
    outgoing: options.outgoing,
    ...(appFiles === undefined ? undefined : { appFiles }),
    ...(watchdog === undefined ? undefined : { watchdog }),
  });
  const sync = new SyncServer({
    documents,
    accounts,
    memory,
    signIns,
    name: "test",
    now,
    elapsed,
    timers: TIMERS,
    logger,
    ...options.sync?.(documents),
  });
  acceptWebsockets(app, (request, socket, head) => sync.handleUpgrade(request, socket, head));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function newUser(name: string): Promise<{ user: string; key: string }> {
    const added = await accounts.addUser(name);
    if (added.kind !== "added") throw new Error(`user ${name}: ${added.kind}`);
    return { user: name, key: added.key };
  }
  const first = await firstUser(accounts, newUser);

  return {
    url,
    ...first,
    app,
    documents,
    accounts,
    sync,
    memory,
    metrics,
    store,
    now,
    request: (method, path, body, { key = first.key, headers } = {}) =>
      sendRequest(`${url}${path}`, method, body, {
        ...(key === null ? undefined : { authorization: `Bearer ${key}` }),
        ...headers,
      }),
    async signIn(key = first.key, userAgent = "test") {
      const headers = { "user-agent": userAgent };
      const { headers: answered } = await sendRequest(`${url}/session`, "POST", { key }, headers);
      return answered.get("set-cookie")?.split(";")[0] ?? "";
    },
    newUser,
    async close() {
      await sync.close();
      await app.close();
      await documents.close();
      await store.close();
      await cleanUp();
    },
  };
}

async function openStore(
  { store = "memory", folder }: ServiceOptions,
  now: () => number,
): Promise<{ store: OpenStore; cleanUp: () => Promise<void> }> {
  if (typeof store === "object") return { store, cleanUp: async () => undefined };
  if (store === "memory")
    return { store: new MemoryStore({ now }), cleanUp: async () => undefined };
  const ownFolder = folder === undefined ? await mkdtemp(join(tmpdir(), "outline-")) : undefined;
  return {
    store: await LevelStore.open(folder ?? ownFolder ?? "", { now, randomBytes }),
    async cleanUp() {
      if (ownFolder !== undefined) await rm(ownFolder, { recursive: true });
    },
  };
}

/** The user of a fresh store; of one that was used before, a new key of its user. */
async function firstUser(
  accounts: Accounts,
  newUser: (name: string) => Promise<{ user: string; key: string }>,
): Promise<{ user: string; key: string }> {
  const [known] = await accounts.listUsers();
  if (known === undefined) return newUser("me");
  const created = await accounts.createKey(known.id, { name: "test" });
  if (created.kind !== "created") throw new Error(created.kind);
  return { user: known.id, key: created.key };
}

async function sendRequest(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<ServiceAnswer> {
  const sent = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const { text, ...answer } = await httpAnswer(url, method, headers, sent);
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  return { ...answer, body: isJson && text !== "" ? JSON.parse(text) : text };
}
