import { createHash } from "node:crypto";
import type { NodeKey } from "../../core/node-key.ts";
import { FREE_BYTES } from "../intake/body-intake.ts";
import type { TaggedText } from "../operation.ts";
import { problem, type Problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

const TAG_LETTERS = 22;

const CHANGED = problem(
  "precondition_failed",
  "The node is not what `If-Match` says: read it again.",
);

/**
 * The `ETag` of an answer: the same for the same text. None for a long one, which may be sent compressed
 * (E46) or in pieces.
 */
export function tagOf(answer: string): string | undefined {
  if (Buffer.byteLength(answer) > FREE_BYTES) return undefined;
  return `"${createHash("sha256").update(answer).digest("base64url").slice(0, TAG_LETTERS)}"`;
}

/** An answer, with its `ETag` where it has one. */
export function withTag(text: string): string | TaggedText {
  const tag = tagOf(text);
  return tag === undefined ? text : { kind: "tagged", text, tag };
}

/** What pieces come to, when that is short enough for an `ETag`; no more of them are made than that. */
export function shortText(pieces: Iterable<string>): string | undefined {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length > FREE_BYTES) return undefined;
  }
  return Buffer.byteLength(text) > FREE_BYTES ? undefined : text;
}

/** Whether a list of tags, weak or strong, has this one, or says `*`. For `If-None-Match`. */
export function isNamed(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return tagsIn(header).some((each) => each === "*" || each.replace(/^W\//, "") === tag);
}

/** What `GET` answers of a node; undefined when that is long. */
export function answerOf(view: ScopedOutline, key: NodeKey): string | undefined {
  const node = view.isLong(key) ? undefined : view.show(key);
  return node && `{"node":${node}}`;
}

/** Why a node may not be changed: it is there, and not what the header `If-Match` names. */
export function staleProblem(
  view: ScopedOutline,
  key: NodeKey,
  ifMatch: string | undefined,
): Problem | undefined {
  if (ifMatch === undefined) return undefined;
  const tags = tagsIn(ifMatch);
  if (tags.includes("*")) return undefined;
  const answer = answerOf(view, key);
  const tag = answer === undefined ? undefined : tagOf(answer);
  return tag !== undefined && tags.includes(tag) ? undefined : CHANGED;
}

function tagsIn(header: string): readonly string[] {
  return header.split(",").map((tag) => tag.trim());
}
