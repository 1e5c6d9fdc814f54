import { problem, type Problem } from "../problem.ts";

export type JsonBody = { readonly kind: "body"; readonly value: unknown } | Problem;

/** Reads the body of a request as JSON; an empty one is `undefined`. */
export function readJsonBody(source: string): JsonBody {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (text.trim() === "") return { kind: "body", value: undefined };
  try {
    return { kind: "body", value: JSON.parse(text) };
  } catch {
    return problem("invalid_request", "The body is not valid JSON.");
  }
}
