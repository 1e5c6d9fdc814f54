import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Connections } from "./connections.ts";
import type { HttpLimits } from "./http-limits.ts";

/** How long a client may take for the head of a request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node looks for those that take too long. */
const CHECK_MS = 5000;
/** How long a connection is kept on which nothing is asked, when there is room. */
const KEEP_ALIVE_MS = 72_000;

/** The server below the framework: connections are counted, and the slowest of them end. */
export function newHttpServer(
  limits: HttpLimits,
  connections: Connections,
  take: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const { requestTimeoutMs, stalledMs } = limits;
  const server = createServer(
    {
      // Otherwise Node itself refuses such requests, in a form of its own.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout:
        requestTimeoutMs === 0
          ? HEADERS_TIMEOUT_MS
          : Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    take,
  );
  server.on("connection", (socket) => connections.add(socket));
  server.setTimeout(stalledMs, (socket) => {
    // Where the client waits for the server, nothing moves either.
    if (connections.of(socket)?.waitsForClient === false) socket.setTimeout(stalledMs);
    else socket.destroy();
  });
  return server;
}
