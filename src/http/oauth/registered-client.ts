import { z } from "zod";
import { type Client, CLIENT_METADATA, type ClientMetadata, shownName } from "./client.ts";

/*
 * Clients that register themselves (RFC 7591). Anybody may, and nobody is asked: so all that can be known
 * of such a client is what it says, and that is what its id is made of. Nothing is kept, nothing fills up
 * and nothing expires before a person agrees; what they agree to is kept with the key.
 */

const PREFIX = "oc1.";
const LONGEST_ID = 4000;

const CONTENT = z.strictObject({ n: z.string(), r: CLIENT_METADATA.shape.redirect_uris });

/** @returns undefined when it says more than an id can hold */
export function registered({ client_name, redirect_uris }: ClientMetadata): Client | undefined {
  const name = shownName(client_name);
  const content = JSON.stringify({ n: name, r: redirect_uris });
  const id = PREFIX + Buffer.from(content).toString("base64url");
  if (id.length > LONGEST_ID) return undefined;
  return { id, name, host: undefined, redirectUris: redirect_uris };
}

/** The client that has registered itself under an id; undefined for what is no such id. */
export function registeredClient(id: string): Client | undefined {
  if (!id.startsWith(PREFIX) || id.length > LONGEST_ID) return undefined;
  const content = CONTENT.safeParse(jsonOf(Buffer.from(id.slice(PREFIX.length), "base64url")));
  if (!content.success) return undefined;
  const { n, r } = content.data;
  const client = registered({ client_name: n, redirect_uris: r });
  // Written otherwise it would be another client that calls itself the same.
  return client?.id === id ? client : undefined;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
