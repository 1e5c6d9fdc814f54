import { isRecord } from "../page/is-record.ts";
import { type ApiOutcome, callApi } from "./call-api.ts";

/** A signed-in browser as the API lists it. Times are Unix seconds. */
export interface ListedSession {
  readonly id: string;
  /** What the browser said it is. */
  readonly browser: string;
  /** Whether it is this one. */
  readonly isCurrent: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

const PATH = "/sessions";

export function listSessions(ask: typeof fetch): Promise<ApiOutcome<readonly ListedSession[]>> {
  return callApi(ask, "GET", PATH, undefined, (body) => {
    const sessions = body["sessions"];
    if (!Array.isArray(sessions)) return [];
    return sessions.map(listedSessionOf).filter((session) => session !== undefined);
  });
}

export function endSession(ask: typeof fetch, id: string): Promise<ApiOutcome<void>> {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  return callApi(ask, "DELETE", path, undefined, () => undefined);
}

/** Signs all browsers out but this one. */
export function endOtherSessions(ask: typeof fetch): Promise<ApiOutcome<void>> {
  return callApi(ask, "DELETE", `${PATH}?others=true`, undefined, () => undefined);
}

function listedSessionOf(value: unknown): ListedSession | undefined {
  if (!isRecord(value)) return undefined;
  const { id, browser, createdAt, lastUsedAt } = value;
  if (typeof id !== "string" || typeof browser !== "string") return undefined;
  return {
    id,
    browser,
    isCurrent: value["current"] === true,
    createdAt: typeof createdAt === "number" ? createdAt : 0,
    lastUsedAt: typeof lastUsedAt === "number" ? lastUsedAt : 0,
  };
}
