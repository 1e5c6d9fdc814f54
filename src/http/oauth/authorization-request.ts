import type { KeyScope } from "../../accounts/account-store.ts";
import type { Client } from "./client.ts";
import { isRegistered } from "./redirect-address.ts";
import { isResource } from "./service-address.ts";

/** What a client asks a person for. */
export interface AuthorizationRequest {
  readonly kind: "request";
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  /** The most that it asks for. */
  readonly scope: KeyScope;
}

/** Who asks can't be told, or where to answer: the person is told, and nobody is sent anywhere. */
export interface NoClient {
  readonly kind: "no_client";
  readonly reason: string;
}

/** The client is told why. */
export interface SentBack {
  readonly kind: "sent_back";
  readonly to: string;
}

const LONGEST_STATE = 4096;
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

interface Surroundings {
  /** That of the service: the issuer. */
  readonly address: string;
  readonly findClient: (id: string) => Promise<Client | undefined>;
}

/** Reads the query of an authorization request (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
export async function readAuthorizationRequest(
  query: string,
  { address, findClient }: Surroundings,
): Promise<AuthorizationRequest | NoClient | SentBack> {
  const asked = new URLSearchParams(query);
  const one = (name: string): string | undefined => {
    const [value, ...others] = asked.getAll(name);
    return others.length > 0 || value === "" ? undefined : value;
  };
  const id = one("client_id");
  const client = id === undefined ? undefined : await findClient(id);
  if (client === undefined) {
    return { kind: "no_client", reason: "Who asks for this can't be found out." };
  }
  const redirectUri = one("redirect_uri");
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris)) {
    const reason = `${client.name} asks to be answered at an address that it has not registered.`;
    return { kind: "no_client", reason };
  }
  const state = one("state");
  const back = { redirectUri, state, address };
  const refuse = (error: string, description: string): SentBack => ({
    kind: "sent_back",
    to: errorAddress(back, error, description),
  });
  // To look for each name would take a tenth of a second for thousands of them.
  if (new Set(asked.keys()).size < asked.size) {
    return refuse("invalid_request", "a parameter stands twice");
  }
  if ((state?.length ?? 0) > LONGEST_STATE) return refuse("invalid_request", "state is too long");
  if (one("response_type") !== "code") {
    return refuse("unsupported_response_type", "response_type must be code");
  }
  const challenge = one("code_challenge");
  if (challenge === undefined || !CHALLENGE.test(challenge)) {
    return refuse("invalid_request", "code_challenge is needed");
  }
  // Left out it would mean `plain`, which protects nothing.
  if (one("code_challenge_method") !== "S256") {
    return refuse("invalid_request", "code_challenge_method must be S256");
  }
  const resource = one("resource");
  if (resource === undefined || !isResource(resource, address)) {
    return refuse("invalid_target", `resource must be ${address}/mcp`);
  }
  const scope = scopeOf(one("scope"));
  if (scope === undefined) return refuse("invalid_scope", "there are the scopes read and write");
  return { kind: "request", client, redirectUri, state, challenge, scope };
}

/** Of several those that are known here count; without any a client asks for all there is. */
function scopeOf(asked: string | undefined): KeyScope | undefined {
  if (asked === undefined) return "write";
  const scopes = asked.split(" ");
  if (scopes.includes("write")) return "write";
  return scopes.includes("read") ? "read" : undefined;
}

/** Where a request is answered. */
interface Back {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** The issuer, by which a client tells whose answer it is (RFC 9207). */
  readonly address: string;
}

/** Where a browser takes a code. */
export function codeAddress(back: Back, code: string): string {
  return answerAddress(back, { code });
}

/** Where a browser takes a refusal (RFC 6749, 4.1.2.1). */
export function errorAddress(back: Back, error: string, description: string): string {
  return answerAddress(back, { error, error_description: description });
}

function answerAddress(
  { redirectUri, state, address }: Back,
  answer: Readonly<Record<string, string>>,
): string {
  const added = new URLSearchParams({
    ...answer,
    ...(state !== undefined && { state }),
    iss: address,
  });
  // What it has already stays as it was written.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added.toString()}`;
}
