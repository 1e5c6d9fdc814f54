import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { FastifyInstance } from "fastify";

/**
 * Takes over a websocket request, as the `upgrade` event of the HTTP server hands it on. Resolves when
 * it is accepted or refused; until then its connection is still counted here.
 */
export type AcceptWebsocket = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void>;

const UPGRADE_HEADERS = new Set(["upgrade", "connection", "http2-settings"]);

/**
 * Hands websocket requests on. What offers to become something else, as the HTTP client of Java does
 * with `h2c` on its first request, stays the plain request that it is: offers may be ignored, but
 * Node drops the request once anybody listens for upgrades.
 */
export function acceptWebsockets(
  { server, connections }: Pick<FastifyInstance, "server" | "connections">,
  accept: AcceptWebsocket,
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (connections.isAnswering(socket)) socket.destroy();
    else if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      serveAgain(server, request, socket, head);
    } else if (connections.of(socket) === undefined) socket.destroy();
    else void accept(request, socket, head).finally(() => connections.leave(socket));
  });
}

/** Puts the request back where it was read from, without its offer. */
function serveAgain(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  // By TLS it has been decrypted already.
  server.emit(socket instanceof TLSSocket ? "secureConnection" : "connection", socket);
}
