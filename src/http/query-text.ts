import { problem, type Problem } from "./problem.ts";

/** A query as the router hands it on: untouched, because most requests never look at theirs. */
export interface RawQuery extends Record<string, unknown> {
  readonly text: string;
}

const NO_QUERY: RawQuery = { text: "" };

/** The router's parser. It never throws: an exception there would end the process. */
export function keepQueryText(text: string): RawQuery {
  return text === "" ? NO_QUERY : { text };
}

/** Each field with its value, or with all of them when it stands there more than once. */
type QueryFields = Readonly<Record<string, string | readonly string[]>>;

export type ParsedQuery = { readonly kind: "query"; readonly fields: QueryFields } | Problem;

const NO_FIELDS: ParsedQuery = { kind: "query", fields: {} };

/** Reads a query; a broken percent-encoding in any field is refused. */
export function parseQuery(text: string): ParsedQuery {
  if (text === "") return NO_FIELDS;
  // Without a prototype: a field may have any name, `__proto__` too.
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decodeText(equals < 0 ? part : part.slice(0, equals));
    const value = decodeText(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      return problem("invalid_request", "The query has a broken percent-encoding.");
    }
    const earlier = fields[name];
    if (Array.isArray(earlier)) earlier.push(value);
    else fields[name] = earlier === undefined ? value : [earlier, value];
  }
  return { kind: "query", fields };
}

function decodeText(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
