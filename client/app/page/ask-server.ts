/** What the server has answered. */
interface Answer {
  readonly status: number;
  /** Undefined when it is no JSON. */
  readonly body: unknown;
}

/** Longer than this, and a page that has an outline of its own goes on without the answer. */
const TIMEOUT_MS = 8000;

/** Asks the server by the browser's session. Undefined without an answer in time. */
export async function askServer(
  ask: typeof fetch,
  method: string,
  path: string,
  body?: unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer | undefined> {
  try {
    const response = await ask(path, {
      method,
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: jsonOf(await response.text()) };
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
