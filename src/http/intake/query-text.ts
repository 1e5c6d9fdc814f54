import { parse } from "node:querystring";
import { problem, type Problem } from "../problem.ts";

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
  let isBroken = false;
  const decode = (encoded: string): string => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      isBroken = true;
      return encoded;
    }
  };
  // Without a prototype: a field may have any name, `__proto__` too.
  const fields = parse(text, "&", "=", { decodeURIComponent: decode, maxKeys: 0 }) as QueryFields;
  return isBroken
    ? problem("invalid_request", "The query has a broken percent-encoding.")
    : { kind: "query", fields };
}
