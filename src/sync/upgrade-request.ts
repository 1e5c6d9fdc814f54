import type { IncomingHttpHeaders } from "node:http";

import type { Credential } from "../accounts/authentication.ts";
import { cookiesNamed, sessionCookieName } from "../accounts/session-cookie.ts";
import type { OutlineId } from "../core/node-key.ts";
import { isOutlineId } from "../core/node-key.ts";
import type { Subprotocol } from "../protocol/subprotocol.ts";
import { isSubprotocol, SUBPROTOCOL } from "../protocol/subprotocol.ts";
import type { UpgradeRefusal } from "./upgrade-refusal.ts";
import { upgradeRefusal } from "./upgrade-refusal.ts";

/** The path, without its query: whatever is written there is no credential. */
const SYNC_PATH = /^\/sync\/(?<outline>[^/?#]+)(?:\?|$)/;

/**
 * What an upgrade request shows: an API key, offered as a subprotocol, which only a program or a page
 * that knows the key can do, or else the session in the cookie, which a browser sends along for every
 * page, and therefore only for pages of this very host. Never in the URL.
 *
 * @param service its name
 */
export function credentialOf(
  headers: IncomingHttpHeaders,
  service: string,
): Credential | UpgradeRefusal {
  const offered = offeredOf(headers).findLast((protocol) => !isSubprotocol(protocol));
  if (offered !== undefined) return { kind: "key", secret: offered };
  const [secret, ...others] = sessionsIn(headers, service);
  if (secret === undefined) return upgradeRefusal("unauthorized", "An API key is needed.");
  if (others.length > 0) return upgradeRefusal("invalid_request", "Two sessions came at once.");
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== host) {
    return upgradeRefusal("forbidden", "The session's cookie counts for this site's pages only.");
  }
  return { kind: "session", secret };
}

/**
 * The cookie that only this host by TLS can have set goes before; whether a proxy ends TLS is not
 * known here.
 */
function sessionsIn({ cookie }: IncomingHttpHeaders, service: string): readonly string[] {
  const byTls = cookiesNamed(sessionCookieName(service, true), cookie);
  return byTls.length > 0 ? byTls : cookiesNamed(sessionCookieName(service, false), cookie);
}

/** Which outline the path asks for; undefined when it is no sync path. */
export function outlineOf(url: string | undefined): OutlineId | "me" | undefined {
  const outline = SYNC_PATH.exec(url ?? "")?.groups?.["outline"];
  return outline !== undefined && (outline === "me" || isOutlineId(outline)) ? outline : undefined;
}

/** The protocol that the session speaks: the first offered one that we know, else the stock one. */
export function subprotocolOf(offered: Iterable<string>): Subprotocol {
  for (const protocol of offered) if (isSubprotocol(protocol)) return protocol;
  return SUBPROTOCOL.stock;
}

/**
 * What `Sec-WebSocket-Protocol` answers: a client that offers something wants to see one of its
 * offers, even when all it offered is the key.
 */
export function answeredProtocol(offered: ReadonlySet<string>): string | false {
  const subprotocol = subprotocolOf(offered);
  return offered.has(subprotocol) ? subprotocol : ([...offered].at(-1) ?? false);
}

export function offeredOf(headers: IncomingHttpHeaders): readonly string[] {
  return (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "");
}
