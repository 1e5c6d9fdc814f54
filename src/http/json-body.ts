import { problem, type Problem } from "./problem.ts";

export type JsonBody = { readonly kind: "body"; readonly value: unknown } | Problem;

/** Bodies up to this length are parsed at once: they can't hold anyone up. */
const UNCHECKED_LENGTH = 64 * 1024;
/** So many values take the parser about 40 ms. */
const MAX_VALUES = 250_000;

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const OPENING_BRACE = 123;

/**
 * Reads the body of a request as JSON; an empty one is `undefined`. A body that consists of
 * structure instead of text is refused before it is parsed: ten megabytes of brackets keep the
 * parser, and with it everyone else, busy for two seconds.
 */
export function readJsonBody(source: string): JsonBody {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (text.trim() === "") return { kind: "body", value: undefined };
  if (text.length > UNCHECKED_LENGTH && isOverstructured(text)) {
    return problem("invalid_request", "The JSON body has too many values.");
  }
  try {
    return { kind: "body", value: JSON.parse(text) };
  } catch {
    return problem("invalid_request", "The body is not valid JSON.");
  }
}

function isOverstructured(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length && values <= MAX_VALUES; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values += 1;
  }
  return values > MAX_VALUES;
}

/** Where the string that starts with the quote at `start` ends; the end of the text when unclosed. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
