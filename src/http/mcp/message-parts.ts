/** Of what the library reads. */
const MOST_VALUES = 1000;

export interface MessageParts {
  /** What the library reads: all but what a tool is given. */
  readonly message: object;
  /** What a tool is given; undefined when that is nothing, or no object. */
  readonly given: object | undefined;
}

/**
 * The library reads a message several times, each time in one go, and lists all that is wrong with it.
 * So it is not shown what a tool is given, which the tool reads itself, and the rest has to be short.
 * @returns undefined when the rest is not
 */
export function partsOf(body: object): MessageParts | undefined {
  const parts = withoutGiven(body);
  return isShort(parts.message) ? parts : undefined;
}

function withoutGiven(body: object): MessageParts {
  const { method, params } = body as { readonly method?: unknown; readonly params?: unknown };
  if (method !== "tools/call" || !isObject(params)) return { message: body, given: undefined };
  const { arguments: given } = params as { readonly arguments?: unknown };
  if (!isObject(given) || Array.isArray(given)) return { message: body, given: undefined };
  return { message: { ...body, params: { ...params, arguments: {} } }, given };
}

/** Values may be as deep in each other as they like. */
function isShort(message: object): boolean {
  const pending: unknown[] = [message];
  for (let count = 0; pending.length > 0; count++) {
    if (count > MOST_VALUES) return false;
    const value = pending.pop();
    if (isObject(value)) for (const each of Object.values(value)) pending.push(each);
  }
  return true;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
