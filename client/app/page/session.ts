import { isOutlineId, type OutlineId } from "../../../src/core/node-key.ts";
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

export type SignInAnswer =
  | { readonly kind: "signed_in" }
  | { readonly kind: "wrong_key" }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "unreachable" };

/** Longer than this, and a page that has an outline of its own goes on without the answer. */
const TIMEOUT_MS = 8000;

export async function readSession(ask: typeof fetch): Promise<SessionAnswer> {
  const answer = await send(ask, "GET");
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

/** Trades an API key for a cookie that scripts can't read. The key is kept nowhere here. */
export async function signIn(ask: typeof fetch, key: string): Promise<SignInAnswer> {
  const answer = await send(ask, "POST", { key });
  switch (answer?.status) {
    case 200:
      return { kind: "signed_in" };
    case 400:
    case 401:
      return { kind: "wrong_key" };
    case 429: {
      const seconds = isRecord(answer.body) ? answer.body["retry_after"] : undefined;
      return { kind: "wait", seconds: typeof seconds === "number" ? seconds : 60 };
    }
    default:
      return { kind: "unreachable" };
  }
}

/** Takes the cookie away. @returns whether the server has done so */
export async function signOut(ask: typeof fetch): Promise<boolean> {
  return (await send(ask, "DELETE"))?.status === 200;
}

interface Answer {
  readonly status: number;
  /** Undefined when it is no JSON. */
  readonly body: unknown;
}

async function send(
  ask: typeof fetch,
  method: string,
  body?: unknown,
): Promise<Answer | undefined> {
  try {
    const response = await ask("/session", {
      method,
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: jsonOf(text) };
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
