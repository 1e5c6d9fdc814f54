import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import WebSocket from "ws";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import type { UserId } from "../../src/accounts/account-store.ts";
import { Accounts, type NewKey } from "../../src/accounts/accounts.ts";
import type { MemoryLedger, MemoryLimits } from "../../src/charges/memory-ledger.ts";
import type { Watchdog } from "../../src/charges/watchdog.ts";
import { sessionCookieName } from "../../src/accounts/session-cookie.ts";
import { SignIns } from "../../src/accounts/sign-ins.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { DocumentLimits } from "../../src/documents/document-limits.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { OutlineLog, Seq } from "../../src/documents/log/outline-log.ts";
import { newMemoryDisk } from "./memory-store/memory-disk.ts";
import { MemoryStore } from "./memory-store/memory-store.ts";
import type { TailLimits } from "../../src/store/tail-limits.ts";
import { SyncServer } from "../../src/sync/sync-server.ts";
import type { SyncLimits } from "../../src/sync/sync-limits.ts";
import { SocketClock } from "./socket-clock.ts";
import { type PeerOptions, SocketPeer } from "./socket-peer.ts";
import { Device, SyncClient, type SyncClientOptions } from "./sync-client.ts";
import { newMemory } from "./test-memory.ts";

/** A client of y-websocket with its document. */
interface StockClient {
  readonly doc: Y.Doc;
  readonly provider: WebsocketProvider;
  /** How the server ended the last connection; undefined as long as it has not. */
  closed: { readonly code: number; readonly reason: string } | undefined;
}

/** An outline as the server has it in memory. */
interface ServedOutline {
  readonly doc: Y.Doc;
  readonly epoch: string;
  readonly head: Seq;
  /** Writes as the API does. */
  write(change: (doc: Y.Doc) => void): Promise<void>;
}

/** What a test does to the store. */
interface StoreControl {
  /** From now on nothing becomes durable. */
  hold(): void;
  /** Lets the oldest commit that is held become durable. */
  step(): void;
  /** Everything becomes durable. */
  release(): void;
  /** From now on every commit fails. */
  fail(): void;
  /** Puts a backup back from before anything was written; the documents have to be told. */
  restoreEmpty(): void;
}

export interface SocketServerOptions {
  readonly limits?: Partial<SyncLimits>;
  readonly documentLimits?: Partial<DocumentLimits>;
  readonly memoryLimits?: Partial<MemoryLimits>;
  readonly tail?: TailLimits;
  /** Awaited before each read of a stored outline or of a part of it. */
  readonly beforeLoad?: (outline: OutlineId, read: string) => Promise<void> | void;
  readonly wrongKeysPerMinute?: number;
  /** Whether the server measures what lines carry by the clock of the test, too. */
  readonly isLineTimeTold?: boolean;
  /** Whether it speaks TLS. */
  readonly isTls?: boolean;
  /** Nobody sees what takes long when not given. */
  readonly watchdog?: Watchdog;
  /** Awaited after each authentication of the sync side. */
  readonly afterAuthentication?: () => Promise<void>;
}

/** The sync side of the server on a port of its own, with one user, and clients for it. */
export interface SocketServer {
  readonly port: number;
  readonly url: string;
  readonly key: string;
  readonly keyId: string;
  readonly outline: OutlineId;
  readonly clock: SocketClock;
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly sync: SyncServer;
  /** What is held for clients. */
  readonly memory: MemoryLedger;
  readonly store: StoreControl;
  /** The log itself, behind the back of the documents. */
  readonly log: OutlineLog;
  /** What the server logged and counted. */
  readonly seen: {
    readonly errors: unknown[];
    readonly refusals: string[];
    /** Codes with which connections ended. */
    readonly closed: number[];
    fellBehind: number;
    authenticated: number;
    compactions: number;
    /** Reads of outlines, or of parts of them, that were begun. */
    loads: number;
  };
  served(): Promise<ServedOutline>;
  newKey(input?: Partial<NewKey>): Promise<{ readonly id: string; readonly key: string }>;
  /** A browser's cookie, as a sign-in with the key sets it. */
  session(): Promise<{ readonly token: string; readonly cookie: string }>;
  newUser(name: string): Promise<{ readonly key: string; readonly outline: OutlineId }>;
  stock(options?: { readonly doc?: Y.Doc; readonly protocols?: string[] }): StockClient;
  extended(options?: Partial<SyncClientOptions>): SyncClient;
  /** A peer that offers `yjs` and the key when nothing else is given. */
  peer(options?: Partial<PeerOptions>): Promise<SocketPeer>;
}

/** Starts a server that ends with the test. */
export async function startSocketServer(options: SocketServerOptions = {}): Promise<SocketServer> {
  const clock = new SocketClock();
  const { now } = clock;
  const control = storeControl();
  const disk = newMemoryDisk();
  const { tail } = options;
  const store = new MemoryStore({
    disk,
    now,
    beforeCommit: () => control.beforeCommit(),
    ...(tail === undefined ? {} : { tail }),
  });
  const accounts = new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
  const added = await accounts.addUser("me");
  if (added.kind !== "added") throw new Error(added.kind);
  const { key, keyId } = added;
  const { outline } = added.user;

  const documents = new Documents({
    log: slowed(store.log, (outline, read) => {
      seen.loads++;
      return options.beforeLoad?.(outline, read);
    }),
    now,
    elapsed: () => performance.now(),
    random: Math.random,
    timers: clock,
    limits: options.documentLimits ?? {},
    events: { onCompaction: () => seen.compactions++ },
  });
  const seen = {
    errors: [] as unknown[],
    refusals: [] as string[],
    closed: [] as number[],
    fellBehind: 0,
    authenticated: 0,
    compactions: 0,
    loads: 0,
  };
  const memory = newMemory(options.memoryLimits);
  const who: Accounts["who"] = async (credential) => {
    const principal = await accounts.who(credential);
    seen.authenticated++;
    await options.afterAuthentication?.();
    return principal;
  };
  const sync = new SyncServer({
    documents,
    accounts,
    memory,
    signIns: new SignIns({ accounts: { who }, perMinute: options.wrongKeysPerMinute ?? 10, now }),
    name: "test",
    now,
    elapsed: options.isLineTimeTold === true ? now : () => performance.now(),
    timers: clock,
    limits: options.limits ?? {},
    ...(options.watchdog === undefined ? {} : { watchdog: options.watchdog }),
    logger: { error: (fields) => seen.errors.push(fields) },
    events: {
      onRefused: (code) => seen.refusals.push(code),
      onClosed: (_dialect, code) => seen.closed.push(code),
      onFellBehind: () => seen.fellBehind++,
    },
  });
  const http = options.isTls === true ? createTlsServer(await tlsFiles()) : createServer();
  http.on("upgrade", (request, socket, head) => {
    void sync.handleUpgrade(request, socket, head);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const url = `${options.isTls === true ? "wss" : "ws"}://127.0.0.1:${port}/sync`;

  const cleanUps: (() => void)[] = [];
  onTestFinished(async () => {
    for (const cleanUp of cleanUps) cleanUp();
    control.release();
    await sync.close();
    http.close();
    http.closeAllConnections();
    await documents.close();
    await store.close();
  });

  return {
    port,
    url,
    key,
    keyId,
    outline,
    clock,
    accounts,
    documents,
    sync,
    memory,
    log: store.log,
    store: {
      ...control,
      restoreEmpty() {
        disk.outlines.clear();
        disk.epoch = "restored";
        disk.epochOrdinal++;
      },
    },
    seen,
    async served() {
      const { document, release } = await documents.open(outline);
      release();
      return {
        doc: document.outline.doc,
        epoch: document.epoch,
        get head() {
          return document.head;
        },
        write: (change) => documents.use(outline, (open) => open.write(({ doc }) => change(doc))),
      };
    },
    async newKey(input = {}) {
      const created = await accounts.createKey("me" as UserId, { name: "test", ...input });
      if (created.kind !== "created") throw new Error(created.kind);
      return created;
    },
    async session() {
      const principal = await accounts.authenticate(key);
      const token = principal && (await accounts.createSession(principal));
      if (token === undefined) throw new Error("the key is good");
      return { token, cookie: `${sessionCookieName("test", false)}=${token}` };
    },
    async newUser(name) {
      const other = await accounts.addUser(name);
      if (other.kind !== "added") throw new Error(other.kind);
      return { key: other.key, outline: other.user.outline };
    },
    stock({ doc = new Y.Doc(), protocols = ["yjs", key] } = {}) {
      const provider = new WebsocketProvider(url, "me", doc, {
        protocols,
        WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
        disableBc: true,
      });
      const client: StockClient = { doc, provider, closed: undefined };
      provider.on("connection-close", (event) => {
        if (event !== null) client.closed = { code: event.code, reason: event.reason };
      });
      cleanUps.push(() => {
        provider.awareness.destroy();
        provider.destroy();
      });
      return client;
    },
    extended(options = {}) {
      const client = new SyncClient({
        url: `${url}/me`,
        key,
        device: new Device(),
        ...options,
      });
      cleanUps.push(() => client.kill());
      return client;
    },
    async peer(options = {}) {
      const headers = { "sec-websocket-protocol": `yjs, ${key}` };
      const peer = await SocketPeer.connect({ port, headers, ...options });
      cleanUps.push(() => peer.socket.destroy());
      return peer;
    },
  };
}

async function tlsFiles(): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  const folder = new URL("../fixtures/tls/", import.meta.url);
  const [cert, key] = await Promise.all(
    ["first.cert.pem", "first.key.pem"].map((name) => readFile(new URL(name, folder))),
  );
  if (cert === undefined || key === undefined) throw new Error("there are two");
  return { cert, key };
}

/** The log, whose reads of outlines wait for the test. */
function slowed(log: OutlineLog, beforeRead: SocketServerOptions["beforeLoad"]): OutlineLog {
  return new Proxy(log, {
    get(target, name: keyof OutlineLog) {
      const call = target[name].bind(target) as (outline: OutlineId, ...rest: unknown[]) => unknown;
      if (!READS.has(name)) return call;
      return async (outline: OutlineId, ...rest: unknown[]) => {
        await beforeRead?.(outline, name);
        return call(outline, ...rest);
      };
    },
  });
}

/** What is as long as the outline, or a part of it. */
const READS: ReadonlySet<string> = new Set([
  "load",
  "chunk",
  "tail",
] satisfies (keyof OutlineLog)[]);

function storeControl(): Omit<StoreControl, "restoreEmpty"> & { beforeCommit(): Promise<void> } {
  let held: (() => void)[] | undefined;
  let isFailing = false;
  const letGo = (): void => {
    for (const go of held ?? []) go();
    held = undefined;
  };
  return {
    hold() {
      held ??= [];
    },
    step() {
      held?.shift()?.();
    },
    release() {
      isFailing = false;
      letGo();
    },
    fail() {
      isFailing = true;
      letGo();
    },
    async beforeCommit() {
      const waiting = held;
      if (waiting !== undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      if (isFailing) throw new Error("the disk fails, for a test");
    },
  };
}
