import type { IncomingHttpHeaders } from "node:http";

/** The cookie of a browser session. Its value is the API key. */
export const SESSION_COOKIE = "outline_session";

export interface Credentials {
  readonly key: string;
  /** Browsers send a cookie along whoever made them ask; a header has to be set on purpose. */
  readonly from: "header" | "cookie";
}

const BEARER = /^bearer +([^\s]+) *$/i;
const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([^;\\s]*)`);

/**
 * The API key of a request. An `Authorization` header, even one of no use, is all that counts;
 * without one it is the session's cookie.
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const key = BEARER.exec(authorization)?.[1];
    return key === undefined ? undefined : { key, from: "header" };
  }
  const key = cookie === undefined ? undefined : COOKIE.exec(cookie)?.[1];
  return key === undefined || key === "" ? undefined : { key, from: "cookie" };
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
  const { origin } = headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
