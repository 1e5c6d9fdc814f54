import { z } from "zod";
import { RateLimiter } from "../../accounts/rate-limiter.ts";
import { newRecentMap } from "../../charges/recent-map.ts";
import { fetchJson, type FetchedJson, type FetchJsonOptions } from "../outgoing/fetch-json.ts";
import { type Client, CLIENT_METADATA, shownName } from "./client.ts";

const MOST_DOCUMENTS = 1000;
const LONGEST_ID = 1000;
/** A document is believed for so long, whatever it says itself: seconds. */
const SHORTEST_AGE = 60;
const LONGEST_AGE = 24 * 60 * 60;
const STANDARD_AGE = 60 * 60;
/** Documents that are fetched for a user. */
const FETCHES_PER_MINUTE = 20;

const DOCUMENT = CLIENT_METADATA.extend({ client_id: z.string(), client_name: z.string() });

interface Kept {
  readonly client: Client;
  /** Unix milliseconds. */
  readonly until: number;
}

export interface ClientDocumentsOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How documents are fetched, where that is to be otherwise. */
  readonly outgoing?: FetchJsonOptions | undefined;
}

/**
 * Clients whose id is the address of a document that says who they are (OAuth Client ID Metadata
 * Document): whoever holds the host answers for it. Fetched for people who are signed in only, some a
 * minute for each, and kept for a while.
 */
export class ClientDocuments {
  readonly #options: ClientDocumentsOptions;
  /** [Q121] */
  readonly #kept = newRecentMap<Kept>(MOST_DOCUMENTS);
  readonly #fetches: RateLimiter;

  constructor(options: ClientDocumentsOptions) {
    this.#options = options;
    this.#fetches = new RateLimiter(FETCHES_PER_MINUTE, options.now);
  }

  /** @param user for whom it is fetched @returns undefined when there is none that can be used */
  async client(id: string, user: string): Promise<Client | undefined> {
    if (!isDocumentAddress(id)) return undefined;
    const { now, outgoing } = this.#options;
    const kept = this.#kept.get(id);
    if (kept !== undefined && now() < kept.until) return kept.client;
    if (this.#fetches.take(user) > 0) return undefined;
    const fetched = await fetchJson(new URL(id), outgoing);
    const client = fetched && clientOf(id, fetched);
    if (fetched === undefined || client === undefined) return undefined;
    const age = Math.min(
      Math.max(fetched.maxAgeSeconds ?? STANDARD_AGE, SHORTEST_AGE),
      LONGEST_AGE,
    );
    this.#kept.set(id, { client, until: now() + age * 1000 });
    return client;
  }
}

/** An https address with a path, as it is normalized, and nothing else in it (section 3 of the draft). */
function isDocumentAddress(id: string): boolean {
  if (id.length > LONGEST_ID || !id.startsWith("https://") || !URL.canParse(id)) return false;
  const { href, pathname, hash, search, username, password } = new URL(id);
  return href === id && pathname !== "/" && `${hash}${search}${username}${password}` === "";
}

function clientOf(id: string, { value }: FetchedJson): Client | undefined {
  const document = DOCUMENT.safeParse(value);
  if (!document.success || document.data.client_id !== id) return undefined;
  const { client_name: name, redirect_uris: redirectUris } = document.data;
  return { id, name: shownName(name), host: new URL(id).host, redirectUris };
}
