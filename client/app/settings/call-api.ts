import { isRecord } from "../page/is-record.ts";

export type ApiOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  /** The server can't be asked now. */
  | { readonly kind: "unreachable" }
  /** This session may not; `reason` is the server's sentence. */
  | { readonly kind: "refused"; readonly reason: string };

const TIMEOUT_MS = 8000;

/**
 * Asks the API by the browser's session.
 * @param read makes the answer of what the API has answered
 */
export async function callApi<T>(
  ask: typeof fetch,
  method: string,
  path: string,
  body: unknown,
  read: (body: Readonly<Record<string, unknown>>) => T,
): Promise<ApiOutcome<T>> {
  try {
    const response = await ask(path, {
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
