import { askServer } from "../page/ask-server.ts";
import { isRecord } from "../page/is-record.ts";

export type ApiOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  /** The server can't be asked now. */
  | { readonly kind: "unreachable" }
  /** This session may not; `reason` is the server's sentence. */
  | { readonly kind: "refused"; readonly reason: string };

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
  const answer = await askServer(ask, method, path, body);
  if (!isRecord(answer?.body)) return { kind: "unreachable" };
  if (answer.status < 300) return { kind: "done", value: read(answer.body) };
  const { message } = answer.body;
  const reason = typeof message === "string" ? message : `The server answered ${answer.status}.`;
  return { kind: "refused", reason };
}

/** What is to be said of an outcome; empty when it is done. @param whenAway of a server that is away */
export function problemOf(outcome: ApiOutcome<unknown>, whenAway: string): string {
  if (outcome.kind === "refused") return outcome.reason;
  return outcome.kind === "done" ? "" : whenAway;
}
