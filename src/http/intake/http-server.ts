import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Connections } from "./connections.ts";
import type { Handshakes } from "./handshakes.ts";
import type { HttpLimits } from "../http-limits.ts";

/** How long a client may take for the head of a request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node looks for those that take too long. */
const CHECK_MS = 5000;
/** How long a connection is kept on which nothing is asked, when there is room. */
const KEEP_ALIVE_MS = 72_000;

/** TLS that a server speaks itself. */
export interface OwnTls {
  /** In PEM, with those that lead to it. */
  readonly cert: string;
  /** Its key, in PEM. */
  readonly key: string;
}

interface HttpServerParts {
  readonly limits: HttpLimits;
  readonly connections: Connections;
  readonly handshakes: Handshakes;
  readonly tls: OwnTls | undefined;
  readonly take: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The server below the framework: connections are counted, and the slowest of them end. */
export function newHttpServer(parts: HttpServerParts): Server {
  const { limits, connections, handshakes, tls, take } = parts;
  const { requestTimeoutMs, stalledMs } = limits;
  const options = {
    // Otherwise Node itself refuses such requests, in a form of its own.
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    headersTimeout:
      requestTimeoutMs === 0 ? HEADERS_TIMEOUT_MS : Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = newServer();
  server.setTimeout(stalledMs, (socket) => {
    // Where the client waits for the server, nothing moves either.
    if (connections.of(socket)?.waitsForClient === false) socket.setTimeout(stalledMs);
    else socket.destroy();
  });
  return server;

  function newServer(): Server {
    if (tls === undefined) {
      return createServer(options, take).on("connection", (socket) => void connections.add(socket));
    }
    const { cert, key } = tls;
    const handshakeTimeout = limits.handshakeMs;
    const secured = createTlsServer({ ...options, cert, key, handshakeTimeout }, take);
    handshakes.watch(secured);
    return secured;
  }
}
