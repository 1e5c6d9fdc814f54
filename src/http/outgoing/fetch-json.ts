import { request as httpsRequest } from "node:https";
import { checkConnection, lookupOf } from "./checked-addresses.ts";
import { isPublicAddress } from "./public-address.ts";
import { addressIn, type ResolvedAddress, resolveName, type ResolveName } from "./resolve-name.ts";

/** From the first question for the name to the last byte. */
const LONGEST_MS = 5000;
const MOST_BYTES = 16 * 1024;

export interface FetchJsonOptions {
  /** As the server does it when left out. */
  readonly resolve?: ResolveName | undefined;
  /** Whether an address may be asked; those that are public when left out. */
  readonly mayAsk?: ((address: string) => boolean) | undefined;
  /** Whose certificates are believed, as PEM; those that Node.js believes when left out. */
  readonly ca?: string | undefined;
}

/** What was found at a URL, and for how many seconds it may be kept, as far as that is said. */
export interface FetchedJson {
  readonly value: unknown;
  readonly maxAgeSeconds: number | undefined;
}

/**
 * Reads JSON at a URL that a stranger has chosen, by TLS. A name is resolved here, each of its addresses
 * must be public, and the connection is made to one of these, whatever the name means by then. Redirects
 * are not followed, and nothing is sent but the request.
 * @returns undefined for anything but a short JSON text that comes soon
 */
export async function fetchJson(
  url: URL,
  options: FetchJsonOptions = {},
): Promise<FetchedJson | undefined> {
  const { resolve = resolveName, mayAsk = isPublicAddress } = options;
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  if (!isPlain) return undefined;
  const signal = AbortSignal.timeout(LONGEST_MS);
  const own = addressIn(url.hostname);
  const addresses = own === undefined ? await resolve(url.hostname, signal) : [own];
  if (addresses.length === 0 || !addresses.every(({ address }) => mayAsk(address))) {
    return undefined;
  }
  return readJson(url, addresses, { ...options, mayAsk, signal });
}

function readJson(
  url: URL,
  addresses: readonly ResolvedAddress[],
  {
    mayAsk,
    ca,
    signal,
  }: FetchJsonOptions & {
    readonly mayAsk: (address: string) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<FetchedJson | undefined> {
  return new Promise((resolve) => {
    const request = httpsRequest(url, {
      agent: false,
      lookup: lookupOf(addresses),
      signal,
      headers: { accept: "application/json", "user-agent": "outline-service" },
      ...(ca !== undefined && { ca }),
    });
    const give = (found: FetchedJson | undefined): void => {
      resolve(found);
      request.destroy();
    };
    checkConnection(request, mayAsk, () => give(undefined));
    request.on("error", () => give(undefined));
    request.once("response", (response) => {
      const type = response.headers["content-type"] ?? "";
      if (response.statusCode !== 200 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
        return give(undefined);
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) give(undefined);
        else chunks.push(chunk);
      });
      response.on("error", () => give(undefined));
      response.once("end", () => {
        const value = jsonOf(Buffer.concat(chunks).toString("utf8"));
        const maxAgeSeconds = maxAgeOf(response.headers["cache-control"]);
        give(value === undefined ? undefined : { value, maxAgeSeconds });
      });
    });
    request.end();
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function maxAgeOf(cacheControl = ""): number | undefined {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
