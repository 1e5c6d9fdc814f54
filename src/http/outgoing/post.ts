import type { Timers } from "../../documents/turns/timers.ts";
import { ask, type Failed, failed, NOT_PUBLIC } from "./ask.ts";
import { isPublicAddress } from "./public-address.ts";
import { addressIn, resolveLocalName, resolveName, type ResolveName } from "./resolve-name.ts";

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

export type Posted = { readonly kind: "answered"; readonly status: number } | Failed;

const ABORTED = failed("it was ended before there was an answer");
const TOO_LATE = failed(`there was no answer within ${LONGEST_MS / 1000} s`);
const NOT_SECURE = "the address does not begin with https://";
const HAS_USER = "the address has a user or a password";

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

/** Sends bodies to addresses that strangers have chosen: see `ask`. Of an answer the status counts. */
export class Poster {
  readonly #options: PostOptions;
  readonly #resolve: ResolveName;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? (options.isInsecure ? resolveLocalName : resolveName);
  }

  /** Resolves when the connection is closed. Never rejects. */
  async post({ url, headers, chunks, signal }: Outgoing): Promise<Posted> {
    const { timers, isInsecure, ca } = this.#options;
    const problem = urlProblem(url, isInsecure);
    if (problem !== undefined) return failed(problem);
    const late = new AbortController();
    const timer = timers.setTimeout(() => late.abort(), LONGEST_MS);
    const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const answered = await ask({
      url,
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": String(bytes),
      },
      chunks,
      mostBytes: MOST_ANSWER_BYTES,
      resolve: this.#resolve,
      mayAsk: isInsecure ? () => true : isPublicAddress,
      ca,
      signal: AbortSignal.any([signal, late.signal]),
    });
    timers.clearTimeout(timer);
    if (answered === undefined) return late.signal.aborted ? TOO_LATE : ABORTED;
    return answered.kind === "failed" ? answered : { kind: "answered", status: answered.status };
  }
}
