import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Grants, Refused, Tokens } from "../../accounts/grants.ts";
import { Guesses } from "../../accounts/guesses.ts";
import { addressOf } from "../intake/client-of.ts";
import type { StatusText } from "../operation.ts";
import { retryAfterSeconds } from "../problem.ts";
import type { Responder } from "../answer/responder.ts";
import { CLIENT_METADATA } from "./client.ts";
import { resourceMetadata, serverMetadata } from "./metadata.ts";
import { NO_ADDRESS } from "./read-request.ts";
import { registered } from "./registered-client.ts";
import { isResource } from "./service-address.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Longest body of a route that needs no key, where it is not that of all. */
    publicBodyBytes?: number;
    /** Its body is a form, as OAuth has it. */
    isForm?: boolean;
  }
}

/** A client's id holds all of what it registers: an address bar takes no more. */
const BODY_BYTES = 16 * 1024;

const PUBLIC = { config: { isPublic: true } };
const PUBLIC_FORM = { config: { isPublic: true, isForm: true, publicBodyBytes: BODY_BYTES } };
const PUBLIC_JSON = { config: { isPublic: true, publicBodyBytes: BODY_BYTES } };

interface OAuthParts {
  readonly responder: Responder;
  readonly grants: Grants;
  /** At which the client of a request knows the service. */
  readonly addressOf: (request: FastifyRequest) => string | undefined;
  /** Codes and refresh tokens that are none, of each network; 0 means any number. */
  readonly wrongPerMinute: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type OAuthError =
  | "invalid_request"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "unsupported_grant_type";

/**
 * What OAuth clients ask without a key: who the service is (RFC 9728, 8414), an id (RFC 7591), tokens for
 * a code or a refresh token, and the end of them (RFC 7009). Pages of other sites can ask none of it.
 */
export function addOAuthRoutes(app: FastifyInstance, parts: OAuthParts): void {
  const { responder, grants, addressOf: ownAddressOf, wrongPerMinute, now } = parts;
  const guesses = new Guesses(wrongPerMinute, now);

  function addMetadata(path: string, metadata: (address: string) => object): void {
    app.get(path, PUBLIC, (request, reply) => {
      const address = ownAddressOf(request);
      const answer = address === undefined ? NO_ADDRESS : JSON.stringify(metadata(address));
      return responder.send(request, reply, answer);
    });
  }

  addMetadata("/.well-known/oauth-protected-resource", resourceMetadata);
  addMetadata("/.well-known/oauth-protected-resource/mcp", resourceMetadata);
  addMetadata("/.well-known/oauth-authorization-server", serverMetadata);

  app.post("/oauth/register", PUBLIC_JSON, (request, reply) =>
    responder.send(request, reply, registration(request.body, now())),
  );

  app.post("/oauth/token", PUBLIC_FORM, async (request, reply) =>
    answered(request, reply, async (fields) => answerOf(await tokensFor(fields, request))),
  );

  app.post("/oauth/revoke", PUBLIC_FORM, async (request, reply) =>
    answered(request, reply, async (fields) => {
      const token = fields.get("token");
      if (token === undefined) {
        return { answer: error("invalid_request", "token is needed"), isGuess: false };
      }
      // One that is none is gone already.
      return { answer: "{}", isGuess: !(await grants.revoke(token)) };
    }),
  );

  async function answered(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (fields: ReadonlyMap<string, string>) => Promise<Judged>,
  ): Promise<FastifyReply> {
    const fields = fieldsIn(request.body);
    if (fields === undefined) {
      return responder.send(request, reply, error("invalid_request", "a parameter stands twice"));
    }
    const looked = await guesses.take(addressOf(request), () => work(fields));
    const answer = "answer" in looked ? looked.answer : tooMany(reply, looked.waitMs);
    return responder.send(request, reply, answer);
  }

  async function tokensFor(
    fields: ReadonlyMap<string, string>,
    request: FastifyRequest,
  ): Promise<Tokens | Refused | StatusText> {
    const address = ownAddressOf(request);
    const resource = fields.get("resource");
    if (resource !== undefined && (address === undefined || !isResource(resource, address))) {
      return error("invalid_target", "the resource is not this service's /mcp");
    }
    const client = fields.get("client_id");
    if (client === undefined) return error("invalid_request", "client_id is needed");
    switch (fields.get("grant_type")) {
      case "authorization_code": {
        const code = fields.get("code");
        const redirectUri = fields.get("redirect_uri");
        const verifier = fields.get("code_verifier");
        if (code === undefined || redirectUri === undefined || verifier === undefined) {
          const description = "code, redirect_uri and code_verifier are needed";
          return error("invalid_request", description);
        }
        return grants.trade({ code, client, redirectUri, verifier });
      }
      case "refresh_token": {
        const token = fields.get("refresh_token");
        if (token === undefined) return error("invalid_request", "refresh_token is needed");
        return grants.refresh({ token, client });
      }
      default:
        return error("unsupported_grant_type", "authorization_code or refresh_token");
    }
  }
}

/** An answer to what was a guess, or none. */
interface Judged {
  readonly answer: StatusText | string;
  readonly isGuess: boolean;
}

const INVALID_GRANT = error(
  "invalid_grant",
  "what was shown is unknown, expired, used, or of another client",
);

function answerOf(outcome: Tokens | Refused | StatusText): Judged {
  switch (outcome.kind) {
    case "status":
      return { answer: outcome, isGuess: false };
    case "refused":
      return { answer: INVALID_GRANT, isGuess: true };
    case "tokens":
      return { answer: tokensJson(outcome), isGuess: false };
  }
}

function tokensJson({ accessToken, expiresIn, refreshToken, scope }: Tokens): string {
  return JSON.stringify({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scope === "write" ? "read write" : "read",
  });
}

/** @param now milliseconds since 1970 */
function registration(body: unknown, now: number): StatusText {
  const metadata = CLIENT_METADATA.safeParse(body ?? {});
  if (!metadata.success) {
    const [issue] = metadata.error.issues;
    const isRedirect = issue?.path[0] === "redirect_uris";
    const description = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`;
    return error(isRedirect ? "invalid_redirect_uri" : "invalid_client_metadata", description);
  }
  const client = registered(metadata.data);
  if (client === undefined) return error("invalid_client_metadata", "it is too long");
  const answer = {
    client_id: client.id,
    client_id_issued_at: Math.floor(now / 1000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  return { kind: "status", status: 201, text: JSON.stringify(answer) };
}

/** The parameters that have a value; undefined when one stands twice (RFC 6749, 3.2). */
function fieldsIn(body: unknown): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const [name, value] of body instanceof URLSearchParams ? body : []) {
    if (fields.has(name)) return undefined;
    if (value !== "") fields.set(name, value);
  }
  return fields;
}

function error(code: OAuthError, description: string): StatusText {
  const text = JSON.stringify({ error: code, error_description: description });
  return { kind: "status", status: 400, text };
}

function tooMany(reply: FastifyReply, waitMs: number): StatusText {
  reply.header("retry-after", String(retryAfterSeconds(waitMs)));
  const error_description = "too many wrong codes and tokens came from this address";
  const text = JSON.stringify({ error: "temporarily_unavailable", error_description });
  return { kind: "status", status: 429, text };
}
