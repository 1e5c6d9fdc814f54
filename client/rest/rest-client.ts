/** Where an operation of the API is, and what of its input goes where. */
export interface RestRoute {
  readonly method: string;
  /** With `{name}` where a part of the input stands. */
  readonly path: string;
  /** What goes into the query; the rest is the body. */
  readonly query: readonly string[];
}

export interface RestOptions {
  /** Where the service is: `http://localhost:6683`. */
  readonly url: string;
  readonly key: string;
  /** Absent: that of the platform. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Such as `Idempotency-Key`, `If-Match` and `If-None-Match`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A refusal of the service. */
export class RestError extends Error {
  override readonly name = "RestError";
  readonly status: number;
  /** What programs tell refusals apart by; empty when the answer was none of the service's. */
  readonly code: string;
  /** In which to try again, seconds; undefined when the service does not say. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown) {
    const problem = typeof body === "object" && body !== null ? body : {};
    const { message, code, retry_after: wait } = problem as Readonly<Record<string, unknown>>;
    super(typeof message === "string" ? message : `The answer has status ${status}.`);
    this.status = status;
    this.code = typeof code === "string" ? code : "";
    this.retryAfter = typeof wait === "number" ? wait : undefined;
  }
}

type Input = Readonly<Record<string, unknown>>;
type Call = (input?: Input, options?: CallOptions) => Promise<unknown>;

/**
 * A function for each operation of the API. It answers the JSON of a success, or the text of a file,
 * undefined for what the caller has already (304), and throws a {@link RestError} for a refusal.
 */
export function restOf(
  routes: Readonly<Record<string, RestRoute>>,
  options: RestOptions,
): Readonly<Record<string, Call>> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]): [string, Call] => [
      name,
      (input = {}, call = {}) => answerOf(route, input, options, call),
    ]),
  );
}

async function answerOf(
  { method, path, query }: RestRoute,
  input: Input,
  { url, key, fetch: ask = fetch }: RestOptions,
  { headers, signal }: CallOptions,
): Promise<unknown> {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string): string | undefined => {
    // As the types have it.
    const value = rest.get(name) as string | number | undefined;
    rest.delete(name);
    return value?.toString();
  };
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(take(name) ?? ""),
  );
  const search = new URLSearchParams();
  for (const name of query) {
    const value = take(name);
    if (value !== undefined) search.set(name, value);
  }
  const asked = search.size === 0 ? place : `${place}?${search}`;
  const response = await ask(`${url.replace(/\/$/, "")}${asked}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${key}` },
    ...(rest.size > 0 && { body: JSON.stringify(Object.fromEntries(rest)) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  if (response.status === 304) return undefined;
  if (!response.ok) throw new RestError(response.status, jsonOf(text));
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? true;
  return isJson ? JSON.parse(text) : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
