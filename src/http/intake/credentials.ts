import type { IncomingHttpHeaders } from "node:http";
import type { Credential } from "../../accounts/authentication.ts";
import { cookiesNamed } from "../../accounts/session-cookie.ts";

/**
 * What a request shows; `ambiguous` when it shows two sessions. Browsers send a session's cookie along
 * whoever made them ask; a key has to be set on purpose.
 */
export type Shown = Credential | "ambiguous" | undefined;

/** `Token` is what some programs write in its place. */
const BEARER = /^(?:bearer|token) +([^\s]+) *$/i;

/**
 * The API key of a request, or its session. An `Authorization` header, even one of no use, is all that
 * counts; without one it is the session's cookie. Which of two cookies is the right one nobody can
 * tell: any program of the host may have set the other.
 *
 * @param cookieName of the session's cookie
 */
export function credentialOf(headers: IncomingHttpHeaders, cookieName: string): Shown {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const secret = BEARER.exec(authorization)?.[1];
    return secret === undefined ? undefined : { kind: "key", secret };
  }
  const [secret, ...others] = cookiesNamed(cookieName, cookie);
  if (others.length > 0) return "ambiguous";
  return secret === undefined ? undefined : { kind: "session", secret };
}

/**
 * Whether a browser says that a page of this very service made the request. Without such a word,
 * as from an old browser or another program, the answer is no.
 *
 * @param host the host that the client asked for, with its port
 */
export function isSameOrigin(headers: IncomingHttpHeaders, host: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && !isForeign(headers, host);
}

/** Whether a request comes from a page of another site, as its `Origin` says. @param host as above */
export function isForeign({ origin }: IncomingHttpHeaders, host: string): boolean {
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
