import type { NodeKey, OutlineId } from "../core/node-key.ts";
import type { KeyScope, UserId } from "./account-store.ts";

/**
 * What a request may do, as its key says. It lives as long as anybody holds it: when the key or the
 * session ends, whoever holds it can tell at once, however long they have waited.
 */
export interface Principal {
  /** Handle of what was shown: of the session, or else of the key. */
  readonly id: string;
  readonly user: UserId;
  readonly outline: OutlineId;
  readonly keyId: string;
  /** Of the browser's session by which the key is used. */
  readonly sessionId: string | undefined;
  /**
   * Handle of the first of the keys that made each other, down to this one: they are one to limits
   * that nobody is to get around by making keys.
   */
  readonly family: string;
  readonly scope: KeyScope;
  /** With it only this node and what is below it can be reached. */
  readonly root: NodeKey | undefined;
  /** What it was given for: an access token of an OAuth client opens `/mcp` and nothing else. */
  readonly audience: "all" | "mcp";
  /** Unix seconds, like the next. */
  readonly expiresAt: number | undefined;
  /** When the key expires, which a session may do before it. */
  readonly keyExpiresAt: number | undefined;
  /**
   * `revoked`: key, session or user have ended before their time. `replaced`: a backup was restored,
   * or the database was away, and whether it still counts is to be asked anew.
   */
  readonly end: "revoked" | "replaced" | undefined;
}

/** @param now milliseconds since 1970 */
export function hasExpired({ expiresAt }: Pick<Principal, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt * 1000;
}

/** Whether what the principal asks for may still be done. @param now milliseconds since 1970 */
export function isInForce(principal: Principal, now: number): boolean {
  return principal.end === undefined && !hasExpired(principal, now);
}

/** Why a key must not be made by another one. */
export function excessOver(
  { scope, root, keyExpiresAt }: Principal,
  input: { readonly expiresAt?: number | undefined },
): "too_long" | "too_much" | undefined {
  // One that may write everywhere may do nothing that a key could not.
  if (scope !== "write" || root !== undefined) return "too_much";
  if (keyExpiresAt === undefined || input.expiresAt === undefined) return undefined;
  return input.expiresAt > keyExpiresAt ? "too_long" : undefined;
}
