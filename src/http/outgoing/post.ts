import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Timers } from "../../documents/timers.ts";
import { checkConnection, lookupOf } from "./checked-addresses.ts";
import { isPublicAddress } from "./public-address.ts";
import {
  addressIn,
  type ResolvedAddress,
  resolveLocalName,
  resolveName,
  type ResolveName,
} from "./resolve-name.ts";

/** From the first question for the name to the last byte. */
const LONGEST_MS = 15_000;
/** Of an answer. */
const MOST_ANSWER_BYTES = 1024;

export interface PostOptions {
  /** Whether plain HTTP and addresses of one's own network may be asked. */
  readonly isInsecure: boolean;
  readonly timers: Pick<Timers, "setTimeout" | "clearTimeout">;
  /** As the server does it when left out. */
  readonly resolve?: ResolveName | undefined;
  /** Whose certificates are believed, as PEM; those that Node.js believes when left out. */
  readonly ca?: string | undefined;
}

export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
  /** Whoever wants it does not any more. */
  readonly signal: AbortSignal;
}

export type Posted =
  | { readonly kind: "answered"; readonly status: number }
  /** With a reason for people, which tells nothing of this machine. */
  | { readonly kind: "failed"; readonly reason: string };

const ABORTED = failed("it was ended before there was an answer");
const TOO_LATE = failed(`there was no answer within ${LONGEST_MS / 1000} s`);
const BROKEN_OFF = failed("the connection was broken off");
const NO_ADDRESS = failed("the host has no address");
const NOT_PUBLIC = failed("the host has an address that is not public, which is not asked here");
const NOT_SECURE = "the address does not begin with https://";
const HAS_USER = "the address has a user or a password";

function failed(reason: string) {
  return { kind: "failed", reason } as const;
}

/** Why nothing is sent to a URL, as far as that can be seen in it, for people; undefined when something is. */
export function urlProblem(url: URL, isInsecure: boolean): string | undefined {
  if (url.protocol !== "https:" && !(isInsecure && url.protocol === "http:")) {
    return NOT_SECURE;
  }
  if (url.username !== "" || url.password !== "") return HAS_USER;
  const own = addressIn(url.hostname);
  return own === undefined || isInsecure || isPublicAddress(own.address)
    ? undefined
    : NOT_PUBLIC.reason;
}

/**
 * Sends bodies to addresses that strangers have chosen. A name is resolved here, each of its addresses
 * is checked, and the connection is made to one of these, whatever the name means by then; where that
 * has led is looked at once more before anything is said. Redirects are not followed. Of an answer the
 * status counts, and no more than a kilobyte of it is read.
 */
export class Poster {
  readonly #options: PostOptions;
  readonly #resolve: ResolveName;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? (options.isInsecure ? resolveLocalName : resolveName);
  }

  /** Resolves when the connection is closed. Never rejects. */
  async post(outgoing: Outgoing): Promise<Posted> {
    const { timers, isInsecure } = this.#options;
    const { url, signal } = outgoing;
    const problem = urlProblem(url, isInsecure);
    if (problem !== undefined) return failed(problem);
    const end = new AbortController();
    let isLate = false;
    const timer = timers.setTimeout(() => {
      isLate = true;
      end.abort();
    }, LONGEST_MS);
    const abort = (): void => end.abort();
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) return ABORTED;
      const own = addressIn(url.hostname);
      const addresses =
        own === undefined
          ? await unlessAborted(this.#resolve(url.hostname, end.signal), end.signal)
          : [own];
      if (addresses === undefined) return isLate ? TOO_LATE : ABORTED;
      if (addresses.length === 0) return NO_ADDRESS;
      const isOpen = isInsecure || addresses.every(({ address }) => isPublicAddress(address));
      if (!isOpen) return NOT_PUBLIC;
      const posted = await this.#send(outgoing, addresses, end.signal);
      return posted ?? (isLate ? TOO_LATE : ABORTED);
    } finally {
      timers.clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Undefined when it was ended before there was a status. */
  #send(
    { url, headers, chunks }: Outgoing,
    addresses: readonly ResolvedAddress[],
    signal: AbortSignal,
  ): Promise<Posted | undefined> {
    const { isInsecure, ca } = this.#options;
    const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const options: RequestOptions = {
      method: "POST",
      agent: false,
      lookup: lookupOf(addresses),
      headers: {
        ...headers,
        "user-agent": "outline-service",
        "content-type": "application/json",
        "content-length": bytes,
      },
      ...(ca !== undefined && { ca }),
    };
    return new Promise((resolve) => {
      let posted: Posted | undefined;
      const request: ClientRequest = (url.protocol === "https:" ? httpsRequest : httpRequest)(
        url,
        options,
      );
      const destroy = (): void => void request.destroy();
      if (signal.aborted) destroy();
      signal.addEventListener("abort", destroy, { once: true });
      const refuse = (refusal: Posted): void => {
        posted ??= refusal;
        destroy();
      };
      if (!isInsecure) {
        checkConnection(request, isPublicAddress, () => refuse(NOT_PUBLIC));
      }
      request.on("error", (error: NodeJS.ErrnoException) => {
        // What it was ended for says more.
        if (!signal.aborted) posted ??= failed(reasonOf(error));
      });
      request.once("response", (response) => {
        posted ??= { kind: "answered", status: response.statusCode ?? 0 };
        let read = 0;
        response.on("data", (data: Buffer) => {
          read += data.byteLength;
          if (read > MOST_ANSWER_BYTES) destroy();
        });
        response.once("end", destroy);
        response.on("error", () => undefined);
      });
      request.once("close", () => {
        signal.removeEventListener("abort", destroy);
        resolve(posted ?? (signal.aborted ? undefined : BROKEN_OFF));
      });
      for (const chunk of chunks) request.write(chunk);
      request.end();
    });
  }
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
