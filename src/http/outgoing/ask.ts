import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { addressIn, type ResolvedAddress, type ResolveName } from "./resolve-name.ts";

/** A request to an address that a stranger has chosen. */
export interface Asking {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** The body; none when left out. */
  readonly chunks?: readonly Uint8Array[];
  /** Of the answer's body: no more is read. */
  readonly mostBytes: number;
  readonly resolve: ResolveName;
  /** Whether an address may be asked. */
  readonly mayAsk: (address: string) => boolean;
  /** Whose certificates are believed, as PEM; those that Node.js believes when left out. */
  readonly ca: string | undefined;
  /** Whoever wants it does not any more. */
  readonly signal: AbortSignal;
}

/** Statuses from 100 to 199 before an answer, which cost time and have no end. [Q111, Q121] */
const MOST_ANNOUNCEMENTS = 10;

export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All of it, or how it begins. */
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** With a reason for people, which tells nothing of this machine. */
export interface Failed {
  readonly kind: "failed";
  readonly reason: string;
}

export function failed(reason: string): Failed {
  return { kind: "failed", reason };
}

const BROKEN_OFF = failed("the connection was broken off");
const ANNOUNCED_TOO_OFTEN = failed("the answer was announced too often");
const NO_ADDRESS = failed("the host has no address");
export const NOT_PUBLIC = failed(
  "the host has an address that is not public, which is not asked here",
);

/**
 * Asks an address that a stranger has chosen. A name is resolved here, each of its addresses is checked,
 * and the connection is made to one of these, whatever the name means by then; where that has led is
 * looked at once more before anything is said. Redirects are not followed.
 * @returns when the connection is closed; undefined when it was ended before there was a status. Never
 *   rejects.
 */
export async function ask(asking: Asking): Promise<Answered | Failed | undefined> {
  const { url, resolve, mayAsk, signal } = asking;
  if (signal.aborted) return undefined;
  const own = addressIn(url.hostname);
  const addresses =
    own === undefined ? await unlessAborted(resolve(url.hostname, signal), signal) : [own];
  if (addresses === undefined) return undefined;
  if (addresses.length === 0) return NO_ADDRESS;
  if (!addresses.every(({ address }) => mayAsk(address))) return NOT_PUBLIC;
  return send(asking, addresses);
}

function send(
  { url, method, headers, chunks = [], mostBytes, mayAsk, ca, signal }: Asking,
  addresses: readonly ResolvedAddress[],
): Promise<Answered | Failed | undefined> {
  return new Promise((resolve) => {
    let failure: Failed | undefined;
    let response: IncomingMessage | undefined;
    const body: Buffer[] = [];
    let bytes = 0;
    let announcements = 0;
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      lookup: lookupOf(addresses),
      headers: { ...headers, "user-agent": "outline-service" },
      signal,
      ...(ca !== undefined && { ca }),
    });
    request.once("socket", (socket: Socket) =>
      // Before a word of TLS is said.
      socket.prependOnceListener("connect", () => {
        if (mayAsk(socket.remoteAddress ?? "")) return;
        failure = NOT_PUBLIC;
        request.destroy();
      }),
    );
    request.on("error", (error: NodeJS.ErrnoException) => {
      // What it was ended for says more, and so does an answer.
      if (!signal.aborted && response === undefined) failure ??= failed(reasonOf(error));
    });
    request.on("information", () => {
      announcements += 1;
      if (announcements <= MOST_ANNOUNCEMENTS) return;
      failure ??= ANNOUNCED_TOO_OFTEN;
      request.destroy();
    });
    request.once("response", (answer) => {
      response = answer;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) request.destroy();
        else body.push(chunk);
      });
      answer.once("end", () => request.destroy());
      answer.on("error", () => undefined);
    });
    request.once("close", () => {
      if (failure !== undefined) return resolve(failure);
      if (response === undefined) return resolve(signal.aborted ? undefined : BROKEN_OFF);
      const { statusCode: status = 0, headers: said, complete } = response;
      const isWhole = complete && bytes <= mostBytes;
      resolve({ kind: "answered", status, headers: said, body: Buffer.concat(body), isWhole });
    });
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });
}

/** Tells of addresses that are known, however it is asked: the name is not resolved again. */
function lookupOf(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 0);
  };
}

/** Undefined when the signal comes first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}

/** In words, or as its code: messages of errors name addresses. */
function reasonOf({ code }: NodeJS.ErrnoException): string {
  switch (code) {
    case "ECONNREFUSED":
      return "the connection was refused";
    case "ECONNRESET":
    case "EPIPE":
      return BROKEN_OFF.reason;
    default:
      return code === undefined ? "the connection failed" : `the connection failed (${code})`;
  }
}
