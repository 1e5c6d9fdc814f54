import { DEFAULT_LAYOUT } from "../core/node/layout.ts";
import { type NodeId, nodeIdOf, type OutlineId } from "../core/node-key.ts";
import { piecesOf } from "../core/text/y-text.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/** Deeper lines are not indented further, or a deep outline would be mostly blanks. */
const MAX_INDENTATION = 40;

/** Characters of a node's texts that are written as one piece. */
const PIECE = 2 ** 14;

/** What XML 1.0 has no place for, and lone surrogates. */
const FORBIDDEN = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/**
 * Writes an outline as OPML 2.0: `text`, `_note` and `_complete` as other outliners read them, and
 * for our own import what they have no place for: `_id`, `_layout`, `_created`, `_modified`,
 * `_completed`, and `_mirror`, the id of what the line is a mirror of.
 */
export function* opmlOfEntries(
  entries: Iterable<OutlineEntry | undefined>,
  options: { readonly title: string; readonly outline: OutlineId },
): Generator<string, void> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n';
  yield `  <head>\n    <title>${escapeXml(options.title)}</title>\n  </head>\n  <body>\n`;
  let open: OutlineEntry | undefined;
  for (const entry of entries) {
    if (entry === undefined) {
      yield "";
      continue;
    }
    if (open !== undefined) yield* between(open, entry.depth);
    const tag = tagPieces(entry, options.outline);
    if (entry.name.length + (entry.note?.length ?? 0) > PIECE) yield* tag;
    else yield [...tag].join("");
    open = entry;
  }
  if (open !== undefined) yield* between(open, 0);
  yield "  </body>\n</opml>\n";
}

/** Ends the tag of `open` and closes what the next entry, at `depth`, is not inside of. */
function* between(open: OutlineEntry, depth: number): Generator<string, void> {
  if (depth > open.depth) {
    yield ">\n";
    return;
  }
  yield "/>\n";
  for (let level = open.depth - 1; level >= depth; level--) {
    yield `${indentationAt(level)}</outline>\n`;
  }
}

function indentationAt(depth: number): string {
  return "  ".repeat(Math.min(depth + 2, MAX_INDENTATION));
}

function* tagPieces(entry: OutlineEntry, outline: OutlineId): Generator<string, void> {
  yield `${indentationAt(entry.depth)}<outline`;
  for (const [name, value] of attributesOf(entry, outline)) {
    if (value === undefined) continue;
    yield ` ${name}="`;
    for (const piece of piecesOf(String(value))) yield escapeXml(piece);
    yield '"';
  }
}

function attributesOf(
  entry: OutlineEntry,
  outline: OutlineId,
): readonly (readonly [string, string | number | undefined])[] {
  const { completedAt, key } = entry;
  const id: NodeId | undefined = key === undefined ? undefined : nodeIdOf(outline, key);
  return [
    ["text", entry.name],
    ["_note", entry.note],
    ["_complete", completedAt === undefined ? undefined : "true"],
    ["_id", id],
    ["_layout", entry.layout === DEFAULT_LAYOUT ? undefined : entry.layout],
    ["_created", entry.createdAt],
    ["_modified", entry.modifiedAt],
    ["_mirror", entry.origin && nodeIdOf(outline, entry.origin)],
    ["_completed", completedAt === "unknown" ? undefined : completedAt],
  ];
}

/** Line breaks and tabs too: in an attribute a reader would make spaces of them. */
function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\t", "&#9;")
    .replaceAll("\n", "&#10;")
    .replaceAll("\r", "&#13;");
}
