import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Site } from "./abuse.ts";
import { firstOf } from "./first-of.ts";
import type { Tally } from "./tally.ts";

/** Sites that have too many connections of an address hang up, or do not take one. */
export async function openTcp(site: Site): Promise<Socket | undefined> {
  const { hostname, port } = new URL(site.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: site.address });
  socket.on("error", () => undefined);
  await firstOf(socket, "connect", "close");
  return socket.destroyed ? undefined : socket;
}

/** The bytes of a request. @param length of the body, when it is not all here */
export function requestBytes(
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: string; readonly length?: number } = {},
): string {
  const { key, body = "", length = Buffer.byteLength(body) } = options;
  const lines = [`${method} ${path} HTTP/1.1`, "host: abuse.test"];
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`);
  if (length > 0) lines.push(`content-length: ${length}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Counts the status lines that come over a connection. */
export function countAnswers(socket: Socket, tally: Tally): void {
  socket.setEncoding("latin1");
  let rest = "";
  socket.on("data", (text: string) => {
    tally.add("bytesReceived", text.length);
    const all = rest + text;
    for (const [, status] of all.matchAll(/HTTP\/1\.1 (\d{3}) /g)) tally.add(`answered${status}`);
    // A status line that is cut in two is found with the next piece.
    const last = all.lastIndexOf("\n");
    rest = last < 0 ? all.slice(-64) : all.slice(last + 1).slice(-64);
    if (/HTTP\/1\.1 \d{3} /.test(rest)) rest = "";
  });
  socket.once("close", () => tally.add("closed"));
}

/** Resolves when everything was taken from here, or nobody is there any more. */
export function written(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  // Called with an error when the connection ends before.
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

/** So long without a byte taken: the server reads no more of it. */
const STUCK_MS = 4_000;

/**
 * Sends pieces as fast as they are taken, until all are, the other side hangs up, or it takes no more.
 */
export async function sendUntilStuck(
  socket: Socket,
  pieces: Iterable<Uint8Array>,
  tally: Tally,
): Promise<void> {
  for (const piece of pieces) {
    const over = new AbortController();
    const stuck = delay(STUCK_MS, "stuck", { signal: over.signal }).catch(() => undefined);
    const end = await Promise.race([written(socket, piece), stuck]);
    over.abort();
    if (end === "stuck") return tally.add("stuck");
    if (socket.destroyed) return;
    tally.add("bytesTaken", piece.length);
  }
}

/** A moment in which the server can take in what it was sent last. */
export function moment(): Promise<void> {
  return delay(500);
}
