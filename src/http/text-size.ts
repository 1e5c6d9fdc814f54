import type { TextExcess } from "../core/text/text-excess.ts";
import { MAX_FORMAT_MARKS, MAX_NAME_LINES } from "../core/text/text-limits.ts";
import { problem, type Problem } from "./problem.ts";

/** The fields of a body that are texts. */
const FIELDS = ["name", "note", "base_name", "base_note"] as const;

type Field = (typeof FIELDS)[number];

type Texts = { readonly [field in Field]?: string | null | undefined };

/** In characters. What is shorter is done in one go, within a few milliseconds. */
const LONG_TEXT = 16 * 1024;

/** Whether what is done with these texts would keep others waiting. */
export function hasLongText(texts: Texts): boolean {
  return FIELDS.some((field) => isLongText(texts[field]?.length ?? 0));
}

/** The same of a text of so many characters. */
export function isLongText(length: number): boolean {
  return length > LONG_TEXT;
}

/** The refusal of a base of nothing. */
export function baseProblem({ name, base_name, note, base_note }: Texts): Problem | undefined {
  if (typeof base_name === "string" && typeof name !== "string")
    return problem("invalid_request", "base_name needs a name.");
  if (typeof base_note === "string" && note === undefined)
    return problem("invalid_request", "base_note needs a note.");
  return undefined;
}

/** Why a name or note is refused for its size; undefined when it is not. */
export function textSizeProblem(fields: Texts, limit: number): Problem | undefined {
  for (const field of FIELDS) {
    if (isLonger(fields[field] ?? "", limit)) {
      return problem("too_large", `${field} is longer than ${limit} bytes of UTF-8.`);
    }
  }
  return undefined;
}

/** The refusal of a text that is short enough, and still more than can be handled in one go. */
export function excessProblem(field: Field, excess: TextExcess | undefined): Problem | undefined {
  switch (excess) {
    case undefined:
      return undefined;
    case "lines":
      return problem("too_large", `${field} has more than ${MAX_NAME_LINES} lines.`);
    case "formats":
      return problem(
        "too_large",
        `${field} has more than ${MAX_FORMAT_MARKS} places at which its format may change.`,
      );
  }
}

function isLonger(text: string, limit: number): boolean {
  // A code unit takes at most three bytes, so most texts need no counting.
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
