import { ask } from "./ask.ts";
import { isPublicAddress } from "./public-address.ts";
import { resolveName, type ResolveName } from "./resolve-name.ts";

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
 * Reads JSON by TLS at a URL that a stranger has chosen: see `ask`. Nothing is sent but the request.
 * @returns undefined for anything but a short JSON text that comes soon
 */
export async function fetchJson(
  url: URL,
  { resolve = resolveName, mayAsk = isPublicAddress, ca }: FetchJsonOptions = {},
): Promise<FetchedJson | undefined> {
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  if (!isPlain) return undefined;
  const answered = await ask({
    url,
    method: "GET",
    headers: { accept: "application/json" },
    mostBytes: MOST_BYTES,
    resolve,
    mayAsk,
    ca,
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  if (answered?.kind !== "answered" || answered.status !== 200 || !answered.isWhole) {
    return undefined;
  }
  const { headers, body } = answered;
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers["content-type"] ?? "")) return undefined;
  const value = jsonOf(body.toString("utf8"));
  return value === undefined
    ? undefined
    : { value, maxAgeSeconds: maxAgeOf(headers["cache-control"]) };
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
