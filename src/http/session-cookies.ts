import type { FastifyReply, FastifyRequest } from "fastify";
import { cookiesNamed, KEY_COOKIE, sessionCookieName } from "../accounts/session-cookie.ts";
import { SESSION_SECONDS } from "../accounts/session-token.ts";
import { isByTls } from "./answer/guard-headers.ts";
import type { HttpLimits } from "./http-limits.ts";

/** The session's cookie in requests and answers. */
export class SessionCookies {
  readonly #service: string;
  readonly #limits: HttpLimits;

  /** @param service its name */
  constructor(service: string, limits: HttpLimits) {
    this.#service = service;
    this.#limits = limits;
  }

  /** What the cookie is called in this request. */
  nameIn(request: FastifyRequest): string {
    return sessionCookieName(this.#service, isByTls(request, this.#limits));
  }

  /** The values of the cookies of that name. */
  in(request: FastifyRequest): readonly string[] {
    return cookiesNamed(this.nameIn(request), request.raw.headers.cookie);
  }

  /** Gives the browser a session, or takes what it has when there is none. */
  set(request: FastifyRequest, reply: FastifyReply, token: string | undefined): void {
    const isSecure = isByTls(request, this.#limits);
    const cookies = [cookieText(this.nameIn(request), token ?? "", isSecure)];
    if (keyInCookieOf(request) !== undefined) cookies.push(cookieText(KEY_COOKIE, "", isSecure));
    reply.header("set-cookie", cookies);
  }
}

/** The API key in the cookie of a browser that signed in to the first version. */
export function keyInCookieOf({ raw: { headers } }: FastifyRequest): string | undefined {
  return cookiesNamed(KEY_COOKIE, headers.cookie)[0];
}

function cookieText(name: string, value: string, isSecure: boolean): string {
  const maxAge = value === "" ? 0 : SESSION_SECONDS;
  const parts = [`${name}=${value}`, "Path=/", `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Strict"];
  if (isSecure) parts.push("Secure");
  return parts.join("; ");
}
