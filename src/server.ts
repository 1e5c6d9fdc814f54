import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { pino } from "pino";
import { type AdminSocket, listenForAdmin } from "./admin/admin-socket.ts";
import { socketPathOf } from "./admin/socket-path.ts";
import { serviceEvents } from "./service-events.ts";
import { StartError } from "./start-error.ts";
import type { Config } from "./config.ts";
import { ensureFirstUser } from "./first-user.ts";
import { createApp } from "./http/create-app.ts";
import { listenFailure } from "./listen-failure.ts";
import { Metrics } from "./metrics.ts";
import { openService, type OpenService, TIMERS } from "./open-service.ts";
import { createSync, type Sync } from "./sync/create-sync.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** A key that this start has made and that nobody knows yet. */
  readonly newKey: string | undefined;
  /** Finishes what is under way, sends the clients away to come again, and lets go of the data. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly logger?: FastifyBaseLogger;
}

/**
 * Starts the whole service.
 * @throws StartError, StoreError when the world is not as it has to be
 */
export async function startServer(
  config: Config,
  { logger = pino({ level: config.logLevel }) }: ServerOptions = {},
): Promise<RunningServer> {
  const metrics = new Metrics();
  const service = await openService(config, serviceEvents(metrics, logger));
  try {
    return await listen(config, service, metrics, logger);
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function listen(
  config: Config,
  service: OpenService,
  metrics: Metrics,
  logger: FastifyBaseLogger,
): Promise<RunningServer> {
  const { store, documents, accounts, admin } = service;
  const common = { documents, accounts, now: Date.now, logger };
  const app = createApp({
    ...common,
    limits: {
      bodyBytes: config.maxBodyBytes,
      textBytes: config.maxTextBytes,
      exportLimitMs: config.exportLimitMs,
      requestsPerMinute: config.requestsPerMinute,
      failedSignInsPerMinute: config.failedSignInsPerMinute,
      requestTimeoutMs: config.requestTimeoutMs,
      trustedProxies: config.trustedProxies,
      secureCookies: config.secureCookies,
    },
    metrics: metrics.registry,
    health: () => store.log.probe(),
    takeToken: (key, windowMs) => store.log.takeToken(key, windowMs),
  });
  const sync = createSync({
    ...common,
    limits: {
      messageBytes: config.maxMessageBytes,
      queuedBytes: config.maxQueuedBytes,
      connectionsPerKey: config.maxConnectionsPerKey,
      connectionsPerAddress: config.maxConnectionsPerAddress,
      failedSignInsPerMinute: config.failedSignInsPerMinute,
      heartbeatMs: config.heartbeatMs,
      trustedProxies: config.trustedProxies,
    },
    timers: TIMERS,
    events: metrics.syncEvents,
  });
  metrics.watch({ sessions: () => sync.sessions(), documents: () => documents.stats() });
  app.server.on("upgrade", (request, socket, head) => sync.handleUpgrade(request, socket, head));
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    const sentence = listenFailure(error, config.host, config.port);
    throw sentence === undefined ? error : new StartError(sentence, { cause: error });
  }
  // Only now, so that a start that fails makes no key that nobody gets to see.
  const newKey = await ensureFirstUser(service, config.apiKey);
  const adminSocket = await listenForAdmin(
    admin,
    await socketPathOf(config.data),
    (operation, error) =>
      logger.error({ err: error, operation }, "an operation of the command failed"),
  );
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${urlHostOf(config.host)}:${port}`,
    port,
    newKey,
    close: () => stop({ app, sync, adminSocket, service, config, logger }),
  };
}

async function stop(parts: {
  readonly app: FastifyInstance;
  readonly sync: Sync;
  readonly adminSocket: AdminSocket;
  readonly service: OpenService;
  readonly config: Config;
  readonly logger: FastifyBaseLogger;
}): Promise<void> {
  const { app, sync, adminSocket, service, config, logger } = parts;
  const finished = Promise.all([app.close(), sync.close(), adminSocket.close()]);
  const timeout = new AbortController();
  const tooLong = delay(config.stopTimeoutMs, "too long", { signal: timeout.signal });
  if ((await Promise.race([finished, tooLong])) === "too long") {
    logger.warn("some requests did not finish in time");
    app.server.closeAllConnections();
    adminSocket.hangUp();
  }
  timeout.abort();
  // Whatever was acknowledged is durable already; this waits for the writes behind it.
  await service.close();
}

/** An address that a person can open: of "every interface", this machine's own. */
function urlHostOf(host: string): string {
  if (["0.0.0.0", "::"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
