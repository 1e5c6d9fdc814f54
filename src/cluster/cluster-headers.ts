import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Forwarded } from "../accounts/passing.ts";

/** With an outline behind it: the process that serves it lets go of it. */
export const HAND_OVER_PATH = "/hand-over/";
/** By which a process says what it is that gets the outline. */
export const TAKER = "x-outline-taker";
/** Whether the process can be reached. */
export const ALIVE_PATH = "/alive";

const SECRET = "x-outline-secret";
const CLIENT = "x-outline-client";
const TLS = "x-outline-tls";
const HOPS = "x-outline-hops";

/** Between two processes, or said anew; whatever a client says of itself is not passed on. */
const NOT_PASSED = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "http2-settings",
  "expect",
  "host",
  "forwarded",
  "via",
  "x-real-ip",
]);

function isPassed(name: string): boolean {
  return (
    !NOT_PASSED.has(name) && !name.startsWith("x-forwarded-") && !name.startsWith("x-outline-")
  );
}

/** Of a request or an answer, in the form of `rawHeaders`. */
export function passedHeaders(rawHeaders: readonly string[]): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (isPassed(name.toLowerCase())) passed.push(name, rawHeaders[at + 1] ?? "");
  }
  return passed;
}

/**
 * What a process says when it passes a request on: before all else, since of very many headers Node
 * drops the last.
 */
export function clusterHeaders(secret: string, forwarded: Forwarded): string[] {
  const { address, isByTls, host, hops } = forwarded;
  const tls = isByTls ? "1" : "0";
  return ["Host", host, SECRET, secret, CLIENT, address, HOPS, String(hops), TLS, tls];
}

/** The lines of a request before its body, but for the empty one. @param headers in the form of `rawHeaders` */
export function requestHead(method: string, path: string, headers: readonly string[]): string {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return head;
}

/** The process that an outline is to be handed over to; undefined where none is named. */
export function takerIn({ headers }: IncomingMessage): number | undefined {
  const taker = headers[TAKER];
  return typeof taker === "string" && /^[1-9][0-9]{0,14}$/.test(taker) ? Number(taker) : undefined;
}

/** Undefined for a request of who does not know the secret, or says nothing that can be understood. */
export function readClusterHeaders(
  { headers }: IncomingMessage,
  secret: string,
): Forwarded | undefined {
  const { [SECRET]: shown, [CLIENT]: address, [TLS]: tls, [HOPS]: hops } = headers;
  if (typeof shown !== "string" || !isSame(shown, secret)) return undefined;
  if (typeof address !== "string" || isIP(address.split("/")[0] ?? "") === 0) return undefined;
  if (typeof hops !== "string" || !/^[1-9]$/.test(hops)) return undefined;
  return { address, isByTls: tls === "1", host: headers.host ?? "", hops: Number(hops) };
}

/** In a time that says nothing of how much of it is right: only its length is no secret. */
function isSame(shown: string, secret: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
