import { createHash } from "node:crypto";
import { problem, type Problem } from "../problem.ts";

/** A part of the position that a cursor holds. */
export type CursorPart = string | number;

/** What a cursor belongs to: it is good for nothing else. */
export interface CursorScope {
  /** The route. */
  readonly kind: string;
  /** The outline, what the key reaches of it, and what was asked. */
  readonly of: readonly string[];
}

export type ReadCursor =
  | { readonly kind: "position"; readonly parts: readonly CursorPart[] }
  | Problem;

const VERSION = 1;
const FORM = /^[A-Za-z0-9_-]{1,200}$/;
const HASH_LENGTH = 12;

export const INVALID_CURSOR = problem("invalid_cursor", "This cursor is not one of this request.");
export const CURSOR_EXPIRED = problem(
  "cursor_expired",
  "What this cursor stood at is gone. Begin again without it.",
);

/** Writes a cursor: at most 200 characters of `A-Za-z0-9_-`, as long as the position is short. */
export function writeCursor(scope: CursorScope, parts: readonly CursorPart[]): string {
  const text = JSON.stringify([VERSION, hashOf(scope), ...parts]);
  return Buffer.from(text).toString("base64url");
}

/** Reads a cursor that was written for the same scope, with as many parts. */
export function readCursor(scope: CursorScope, text: string, count: number): ReadCursor {
  if (!FORM.test(text)) return INVALID_CURSOR;
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return INVALID_CURSOR;
  }
  if (!Array.isArray(fields)) return INVALID_CURSOR;
  const [version, hash, ...parts] = fields as readonly unknown[];
  if (version !== VERSION || hash !== hashOf(scope) || parts.length !== count)
    return INVALID_CURSOR;
  return parts.every(isPart) ? { kind: "position", parts } : INVALID_CURSOR;
}

function isPart(value: unknown): value is CursorPart {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function hashOf({ kind, of }: CursorScope): string {
  const hash = createHash("sha256").update(JSON.stringify([kind, ...of]));
  return hash.digest("base64url").slice(0, HASH_LENGTH);
}
