import { isRecord } from "../page/is-record.ts";

/** A key as the API lists it: never the key itself. Times are Unix seconds. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly scope: "read" | "write";
  readonly isPartial: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export type ApiOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  /** The server can't be asked now. */
  | { readonly kind: "unreachable" }
  /** The key of this session may not; `reason` is the server's sentence. */
  | { readonly kind: "refused"; readonly reason: string };

const TIMEOUT_MS = 8000;

export function listKeys(ask: typeof fetch): Promise<ApiOutcome<readonly ListedKey[]>> {
  return call(ask, "GET", "", undefined, (body) => {
    const keys = body["keys"];
    return Array.isArray(keys) ? keys.map(listedKeyOf).filter((key) => key !== undefined) : [];
  });
}

/** @returns the key, which is never shown again */
export function createKey(
  ask: typeof fetch,
  name: string,
  scope: "read" | "write",
): Promise<ApiOutcome<string>> {
  return call(ask, "POST", "", { name, scope }, (body) => String(body["key"]));
}

export function revokeKey(ask: typeof fetch, id: string): Promise<ApiOutcome<void>> {
  return call(ask, "DELETE", `/${encodeURIComponent(id)}`, undefined, () => undefined);
}

async function call<T>(
  ask: typeof fetch,
  method: string,
  path: string,
  body: unknown,
  read: (body: Readonly<Record<string, unknown>>) => T,
): Promise<ApiOutcome<T>> {
  try {
    const response = await ask(`/api/v1/keys${path}`, {
      method,
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!isRecord(answer)) return { kind: "unreachable" };
    if (response.ok) return { kind: "done", value: read(answer) };
    const message = answer["message"];
    const reason =
      typeof message === "string" ? message : `The server answered ${response.status}.`;
    return { kind: "refused", reason };
  } catch {
    return { kind: "unreachable" };
  }
}

function listedKeyOf(value: unknown): ListedKey | undefined {
  if (!isRecord(value)) return undefined;
  const { id, name, scope, createdAt, lastUsedAt } = value;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  return {
    id,
    name,
    scope: scope === "read" ? "read" : "write",
    isPartial: typeof value["root_id"] === "string",
    createdAt: typeof createdAt === "number" ? createdAt : 0,
    lastUsedAt: typeof lastUsedAt === "number" ? lastUsedAt : undefined,
  };
}
