/*
 * The cookie of a browser's session. Its value is the session's token, never a key.
 *
 * Cookies know no ports: every program of a host is sent those of all others, and may set some of the
 * same name. So the name ends with that of the service's store, and two services of one host don't
 * take each other's place. Where TLS is, `__Host-` makes browsers see to it that the cookie is
 * this very host's, and came by TLS.
 */

/** The cookie of the first version. Its value was the API key itself. */
export const KEY_COOKIE = "outline_session";

/** Browsers take such a cookie only with `Secure`, for the whole site and this host alone. */
const HOST_PREFIX = "__Host-";

/** @param service its name */
export function sessionCookieName(service: string, isByTls: boolean): string {
  const name = `${KEY_COOKIE}_${service}`;
  return isByTls ? HOST_PREFIX + name : name;
}

/** The values of all cookies of that name in a `Cookie` header, but for empty ones. */
export function cookiesNamed(name: string, header: string | undefined): readonly string[] {
  const values: string[] = [];
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at === -1 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    if (value !== "") values.push(value);
  }
  return values;
}
