import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { AdminClient } from "./admin/admin-client.ts";
import { type AdminSocket, listenForAdmin } from "./admin/admin-socket.ts";
import { socketPathOf } from "./admin/socket-path.ts";
import { MemoryLedger } from "./charges/memory-ledger.ts";
import { SignIns } from "./accounts/sign-ins.ts";
import type { Config } from "./config.ts";
import { dropKey, type FirstKey, isPrinted, keepKey } from "./first-key.ts";
import { Cluster, listenForOthers } from "./cluster.ts";
import { ensureFirstUser } from "./first-user.ts";
import { storeFolderOf } from "./store-folder.ts";
import { type AppFile, readAppFiles } from "./http/app-files.ts";
import { createApp } from "./http/create-app.ts";
import { acceptWebsockets } from "./http/intake/websocket-upgrades.ts";
import { connectionLimitsOf, httpLimitsOf, memoryLimitsOf, syncLimitsOf } from "./limits.ts";
import { listenFailure } from "./listen-failure.ts";
import { Metrics } from "./metrics.ts";
import { readMostOpenFiles } from "./open-files.ts";
import { openService, type OpenService, TIMERS } from "./open-service.ts";
import { serviceEvents } from "./service-events.ts";
import { StartError } from "./start-error.ts";
import { readTlsCertificate, type TlsCertificate, tlsFilesOf } from "./tls-certificate.ts";
import { TlsReload } from "./tls-reload.ts";
import { SyncServer } from "./sync/sync-server.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** A key that this start has made. */
  readonly firstKey: FirstKey | undefined;
  /** Finishes what is under way, sends the clients away to come again, and lets go of the data. */
  close(): Promise<void>;
}

/** Where the build puts the web app, seen from the source and from the built program alike. */
const APP_FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));

/** What the world reaches. */
interface Network {
  readonly app: FastifyInstance;
  readonly sync: SyncServer;
}

/** The parts of a server, from the network to the disk; a start that fails early has no network yet. */
interface Parts extends Partial<Network> {
  readonly service: OpenService;
  readonly logger: FastifyBaseLogger;
  /** Undefined where this process has the store alone. */
  readonly cluster: Cluster | undefined;
}

/** What the network side needs besides the service itself. */
interface Surroundings {
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  readonly appFiles: readonly AppFile[];
  /** Undefined where TLS is not this server's. */
  readonly tls: TlsCertificate | undefined;
  readonly cluster: Cluster | undefined;
}

/**
 * Starts the whole service.
 * @throws StartError, StoreError when the world is not as it has to be; then nothing is left running
 */
export async function startServer(
  asSet: Config,
  {
    logger,
    isTerminal = false,
  }: { readonly logger: FastifyBaseLogger; readonly isTerminal?: boolean },
): Promise<RunningServer> {
  const openFiles = await readMostOpenFiles();
  // Where the system gives too few files for as many connections as are set, there are fewer.
  const limits = connectionLimitsOf(asSet, openFiles);
  const config = { ...asSet, ...limits };
  const metrics = new Metrics();
  const tlsFiles = tlsFilesOf(config);
  const tls = tlsFiles === undefined ? undefined : await readTlsCertificate(tlsFiles);
  const appFiles = await readAppFiles(APP_FOLDER);
  const listener = await listenForOthers(config);
  const service = await openService(config, serviceEvents(metrics, logger), {
    address: listener?.address,
  }).catch(async (error: unknown) => {
    await listener?.close();
    throw error;
  });
  const cluster = Cluster.of(service, listener, metrics);
  let parts: Parts = { service, logger, cluster };
  let adminSocket: AdminSocket | undefined;
  const undos: (() => Promise<void>)[] = [];
  try {
    const path = await socketPathOf(config.data);
    await requireNoServer(path);
    const storeFolder = config.store === undefined ? storeFolderOf(config) : undefined;
    const first = await ensureFirstUser(service, storeFolder, config.apiKey);
    // Other processes that were given the same key may have begun with what this one has made.
    const isShared = cluster !== undefined && config.apiKey !== undefined;
    if (!isShared) undos.push(() => first.undo());
    const { newKey } = first;
    const isKept = newKey !== undefined && !isPrinted(config, isTerminal);
    const file = isKept ? await keepKey(config.data, newKey) : undefined;
    if (file !== undefined) undos.push(() => dropKey(file));
    // Behind all that asks the database: on a busy machine this takes longer than a lease.
    const network = networkOf(service, config, { metrics, logger, appFiles, tls, cluster });
    parts = { ...parts, ...network };
    const { app, sync } = network;
    const onFailure = (operation: string, error: unknown): void =>
      logger.error({ err: error, operation }, "an operation of the command failed");
    adminSocket = await listenForAdmin(service.admin, path, onFailure);
    cluster?.begin(app, sync);
    // Last, so that whoever is answered finds everything.
    await listen(app, config);
    if (limits.maxConnections < asSet.maxConnections) {
      logger.warn({ openFiles, ...limits }, TOO_FEW_FILES);
    }
    const { server } = app;
    const { port } = server.address() as AddressInfo;
    const endReload =
      tlsFiles === undefined || tls === undefined
        ? undefined
        : new TlsReload({
            files: tlsFiles,
            certificate: tls,
            server,
            logger,
            now: Date.now,
          }).begin();
    return {
      url: `${tls === undefined ? "http" : "https"}://${urlHostOf(config.host)}:${port}`,
      port,
      firstKey: firstKeyOf(newKey, file),
      close() {
        endReload?.();
        return stop(parts, adminSocket, config.stopTimeoutMs);
      },
    };
  } catch (error) {
    // Nobody got to see what was made.
    for (const undo of undos.toReversed()) {
      await undo().catch((failure: unknown) => logger.error({ err: failure }, "not taken back"));
    }
    await stop(parts, adminSocket, config.stopTimeoutMs);
    throw error;
  }
}

const TOO_FEW_FILES =
  "the system lets this process open too few files for as many connections as are set";

/** A store has one server, but two servers on different stores may be given one folder. */
async function requireNoServer(socketPath: string): Promise<void> {
  if ((await AdminClient.connect(socketPath)) === undefined) return;
  throw new StartError(
    "Another server runs with this data folder: give each a folder of its own with --data.",
  );
}

function firstKeyOf(key: string | undefined, file: string | undefined): FirstKey | undefined {
  if (file !== undefined) return { kind: "kept", file };
  return key === undefined ? undefined : { kind: "printed", key };
}

const elapsed = (): number => performance.now();

function networkOf(
  { store, documents, accounts, turns, watchdog }: OpenService,
  config: Config,
  { metrics, logger, appFiles, tls, cluster }: Surroundings,
): Network {
  const memory = new MemoryLedger(memoryLimitsOf(config));
  const perMinute = config.failedSignInsPerMinute;
  const signIns = new SignIns({ accounts, perMinute, now: Date.now });
  const { name } = store;
  const now = Date.now;
  const passing = cluster?.passer;
  const known = { documents, accounts, signIns, name, memory, watchdog };
  const common = { ...known, now, elapsed, logger, passing };
  const app = createApp({
    ...common,
    limits: httpLimitsOf(config),
    tls,
    timers: TIMERS,
    yieldNow: TIMERS.yieldNow,
    turns,
    metrics: metrics.registry,
    metricsKey: config.metricsKey,
    health: () => documents.probe(),
    isLeaving: () => cluster?.isLeaving === true,
    takeToken: (key, windowMs) => store.log.takeToken(key, windowMs),
    appFiles,
  });
  const sync = new SyncServer({
    ...common,
    limits: syncLimitsOf(config),
    timers: TIMERS,
    events: metrics.syncEvents,
  });
  acceptWebsockets(app, (request, socket, head) => sync.handleUpgrade(request, socket, head));
  metrics.watch({
    sessions: () => sync.sessions(),
    connections: () => app.connections.size,
    documents: () => documents.stats(),
    places: () => store.places,
    held: () => memory,
  });
  return { app, sync };
}

/**
 * How many connections the system may open ahead of the server. Beyond that it opens none of anybody,
 * and whoever tries waits for a second. The system may allow fewer (Linux: `net.core.somaxconn`).
 */
const OPENED_AHEAD = 4096;
/** Connections beyond all limits that are told so; of very many at once the others only end. */
const REFUSED_AT_ONCE = 64;

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  const { host, port, maxHttpConnections, maxConnections } = config;
  app.server.maxConnections = maxHttpConnections + maxConnections + REFUSED_AT_ONCE;
  try {
    await app.listen({ host, port, backlog: OPENED_AHEAD });
  } catch (error) {
    const variables = { host: "OUTLINE_HOST", port: "OUTLINE_PORT" };
    throw listenFailure(error, { host, port }, variables);
  }
}

async function stop(
  { app, sync, service, logger, cluster }: Parts,
  adminSocket: AdminSocket | undefined,
  timeoutMs: number,
): Promise<void> {
  await cluster?.leave();
  const finished = Promise.all([
    app?.close(),
    sync?.close(),
    adminSocket?.close(),
    cluster?.finish(),
  ]);
  const timeout = new AbortController();
  const tooLong = delay(timeoutMs, "too long" as const, { signal: timeout.signal });
  // Ended by the abort below.
  tooLong.catch(() => undefined);
  if ((await Promise.race([finished, tooLong])) === "too long") {
    logger.warn("some requests did not finish in time");
    app?.server.closeAllConnections();
    adminSocket?.hangUp();
  }
  timeout.abort();
  // Whatever was acknowledged is durable already; this waits for the writes behind it.
  await service.close();
  await cluster?.close();
}

/** An address that a person can open: of "every interface", this machine's own. */
function urlHostOf(host: string): string {
  if (["0.0.0.0", "::"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
