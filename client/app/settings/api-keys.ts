import { callApi, type ApiOutcome } from "./call-api.ts";
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

/** A new key and its id in the list. The key is never shown again. */
export interface MadeKey {
  readonly id: string;
  readonly key: string;
}

const PATH = "/api/v1/keys";

export function listKeys(ask: typeof fetch): Promise<ApiOutcome<readonly ListedKey[]>> {
  return callApi(ask, "GET", PATH, undefined, (body) => {
    const keys = body["keys"];
    return Array.isArray(keys) ? keys.map(listedKeyOf).filter((key) => key !== undefined) : [];
  });
}

export function createKey(
  ask: typeof fetch,
  name: string,
  scope: "read" | "write",
): Promise<ApiOutcome<MadeKey>> {
  return callApi(ask, "POST", PATH, { name, scope }, ({ id, key }) => ({
    id: String(id),
    key: String(key),
  }));
}

export function revokeKey(ask: typeof fetch, id: string): Promise<ApiOutcome<void>> {
  return callApi(ask, "DELETE", `${PATH}/${encodeURIComponent(id)}`, undefined, () => undefined);
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
