import { createHash, randomBytes } from "node:crypto";
import type { ServiceAnswer, TestService } from "../support/service.ts";

export const CALLBACK = "https://assistant.example/callback";

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** As much of a running service as they need. */
export type Served = Pick<TestService, "url" | "key" | "request" | "signIn">;

/** A person in a browser, and an OAuth client, on a running service. */
export class OAuthPerson<S extends Served = TestService> {
  /** Where they are now. */
  service: S;
  readonly clientId: string;
  readonly #cookie: string;

  private constructor(service: S, cookie: string, clientId: string) {
    this.service = service;
    this.#cookie = cookie;
    this.clientId = clientId;
  }

  static async of<S extends Served>(service: S, key = service.key): Promise<OAuthPerson<S>> {
    const client = await register(service, { redirect_uris: [CALLBACK], client_name: "Assistant" });
    const { client_id: clientId } = client.body as { client_id: string };
    return new OAuthPerson(service, await service.signIn(key), clientId);
  }

  /** The query of an authorization request; undefined leaves a parameter out. */
  query(pkce: Pkce, change: Readonly<Record<string, string | undefined>> = {}): string {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: CALLBACK,
      code_challenge: pkce.challenge,
      code_challenge_method: "S256",
      resource: `${this.service.url}/mcp`,
      state: "a state & more",
    });
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    }
    return query.toString();
  }

  /** What the page asks for. */
  async page(path: string, body: object, headers: object = {}): Promise<ServiceAnswer> {
    const own = { cookie: this.#cookie, "sec-fetch-site": "same-origin", ...headers };
    return this.service.request("POST", `/oauth/${path}`, body, { key: null, headers: own });
  }

  async consent(query: string, decision: object = {}): Promise<ServiceAnswer> {
    return this.page("consent", { query, allow: true, ...decision });
  }

  /** A code, as the client gets it. */
  async code(pkce: Pkce, decision: object = {}): Promise<string> {
    const { body } = await this.consent(this.query(pkce), decision);
    const code = new URL((body as { to: string }).to).searchParams.get("code");
    if (code === null) throw new Error(`no code: ${JSON.stringify(body)}`);
    return code;
  }

  async token(fields: Readonly<Record<string, string>>): Promise<ServiceAnswer> {
    return form(this.service, "/oauth/token", { client_id: this.clientId, ...fields });
  }

  trade(code: string, { verifier }: Pkce, change: object = {}): Promise<ServiceAnswer> {
    const grant_type = "authorization_code";
    const own = { grant_type, code, code_verifier: verifier, redirect_uri: CALLBACK };
    return this.token({ ...own, ...change });
  }

  refresh(refresh_token: string, change: object = {}): Promise<ServiceAnswer> {
    return this.token({ grant_type: "refresh_token", refresh_token, ...change });
  }

  /** All at once. */
  async tokens(decision: object = {}): Promise<TokenAnswer> {
    const pkce = newPkce();
    const { status, body } = await this.trade(await this.code(pkce, decision), pkce);
    if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
    return body as TokenAnswer;
  }

  /** Lists the tools with a token. */
  async mcp(token: string, query = ""): Promise<ServiceAnswer> {
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      },
    };
    return this.service.request("POST", `/mcp${query}`, message, {
      key: null,
      headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    });
  }

  async keys(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const { body } = await this.service.request("GET", "/api/v1/keys");
    return (body as { keys: { id: string; name: string }[] }).keys;
  }
}

export function register(service: Served, metadata: object): Promise<ServiceAnswer> {
  return service.request("POST", "/oauth/register", metadata, { key: null });
}

export function form(
  service: Served,
  path: string,
  fields: Readonly<Record<string, string>> | string,
): Promise<ServiceAnswer> {
  const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return service.request("POST", path, body, { key: null, headers });
}

export function errorOf({ status, body }: ServiceAnswer): readonly [number, string] {
  return [status, (body as { error: string }).error];
}
