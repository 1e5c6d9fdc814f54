import { isOutlineId, type OutlineId } from "../../../src/core/node-key.ts";
import { askServer } from "./ask-server.ts";
import { isRecord } from "./is-record.ts";

/** What the server says of the browser's session. */
export type SessionAnswer =
  | {
      readonly kind: "session";
      readonly outline: OutlineId;
      readonly user: string;
      readonly scope: "read" | "write";
    }
  /** No key, or one that is no longer valid. */
  | { readonly kind: "signed_out" }
  /** A key for a part of an outline: it opens no replica. */
  | { readonly kind: "limited" }
  /** Another program on this host has set a cookie of the same name, too. */
  | { readonly kind: "ambiguous" }
  /** Nobody answered, or not what this service answers. */
  | { readonly kind: "unreachable" };

const PATH = "/session";

export async function readSession(ask: typeof fetch): Promise<SessionAnswer> {
  const answer = await askServer(ask, "GET", PATH);
  if (answer === undefined) return { kind: "unreachable" };
  if (answer.status === 401) return { kind: "signed_out" };
  if (answer.status === 403) return { kind: "limited" };
  if (answer.status === 400) return { kind: "ambiguous" };
  if (answer.status !== 200 || !isRecord(answer.body)) return { kind: "unreachable" };
  const { outline, user, scope } = answer.body;
  if (typeof outline !== "string" || !isOutlineId(outline) || typeof user !== "string") {
    return { kind: "unreachable" };
  }
  return { kind: "session", outline, user, scope: scope === "read" ? "read" : "write" };
}

/** Takes the cookie away. @returns whether the server has done so */
export async function signOut(ask: typeof fetch): Promise<boolean> {
  return (await askServer(ask, "DELETE", PATH))?.status === 200;
}
