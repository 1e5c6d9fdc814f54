import { isNodeKey, type NodeKey } from "../../core/node-key.ts";
import {
  findMatches,
  type Match,
  type Matches,
  type MatchRequest,
} from "../../core/search/find-matches.ts";
import type { QueryWarning } from "../../core/search/query-warnings.ts";
import type { Query } from "../../core/search/query.ts";
import { type Span, spansInSteps } from "../../core/search/spans.ts";
import type { TextPart } from "../../core/node/text-part.ts";
import { plainText } from "../../core/text/rich-text.ts";
import type { SearchTexts } from "../../documents/memory/search-texts.ts";
import { CURSOR_EXPIRED, type CursorPart, type CursorScope, writeCursor } from "./cursor.ts";
import { NO_SUCH_NODE, type Problem, ProblemError } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

/** The latest first, so many in all. */
export const MOST_LATEST = 1000;
const MOST_NAME = 200;
const MOST_ABOVE = 100;

/** Where an answer begins. */
type Place =
  | { readonly kind: "document"; readonly behind?: NodeKey }
  | {
      readonly kind: "modified";
      /** How many were answered before. */
      readonly given: number;
      readonly before?: { readonly modifiedAt: number; readonly key: NodeKey };
    };

/** A search as it was asked for. */
export interface Search {
  readonly kind: "search";
  readonly query: Query;
  readonly warnings: readonly QueryWarning[];
  readonly from: NodeKey;
  readonly limit: number;
  readonly scope: CursorScope;
  readonly place: Place;
  readonly include: readonly ("path" | "spans" | "count" | "warnings")[];
}

/** Reads the position of a cursor; without one it is the beginning. */
export function placeOfParts(
  parts: readonly CursorPart[] | undefined,
  isLatest: boolean,
): Place | Problem {
  if (parts === undefined) return isLatest ? { kind: "modified", given: 0 } : { kind: "document" };
  const [key, modifiedAt, given] = parts;
  if (typeof key !== "string" || !isNodeKey(key)) return CURSOR_EXPIRED;
  if (!isLatest) return { kind: "document", behind: key };
  if (typeof modifiedAt !== "number" || typeof given !== "number") return CURSOR_EXPIRED;
  if (given < 0 || given >= MOST_LATEST) return CURSOR_EXPIRED;
  return { kind: "modified", given, before: { modifiedAt, key } };
}

/**
 * The JSON of what a search finds, in pieces; empty ones while it looks.
 * @throws ProblemError before the first that is not empty
 */
export function* searchPieces(
  view: ScopedOutline,
  search: Search,
  texts: SearchTexts,
): Generator<string> {
  const { place, scope, include, from, warnings } = search;
  const { matches, hasMore, count } = yield* searching(view, search, texts);
  let before = '{"matches":[';
  const names = new Map<NodeKey, string>();
  for (const { key } of matches) {
    // It may have been deleted or moved away while others had their turn.
    if (!view.outline.contains(from, key)) continue;
    const node = view.isLong(key) ? view.showInPieces(key) : view.show(key);
    if (node === undefined) continue;
    yield `${before}{"node":`;
    if (typeof node === "string") yield node;
    else yield* node;
    if (include.includes("path")) yield `,"path":[${yield* pathOf(view, key, names)}]`;
    if (include.includes("spans")) yield `,"spans":${yield* spansOf(view, key, search.query)}`;
    yield "}";
    before = ",";
  }
  const cursor = hasMore ? cursorBehind(scope, place, matches) : null;
  const counted = count === undefined ? "" : `,"count":${count}`;
  const warned = include.includes("warnings") ? `,"warnings":${JSON.stringify(warnings)}` : "";
  yield `${before === "," ? "" : before}],"cursor":${JSON.stringify(cursor)}${counted}${warned}}`;
}

/**
 * Looks for what is asked for, with an empty text wherever others may have their turn.
 * @throws ProblemError when there is nothing to look in
 */
export function* searching(
  { outline }: ScopedOutline,
  search: Search,
  texts: SearchTexts,
): Generator<string, Matches> {
  const { place } = search;
  const limit = Math.min(search.limit, MOST_LATEST - (place.kind === "modified" ? place.given : 0));
  const work = findMatches(texts.of(outline), requestOf(search, limit));
  let step = work.next();
  for (; step.done !== true; step = work.next()) {
    texts.settle();
    yield "";
  }
  texts.settle();
  if (step.value === "no_node") throw new ProblemError(NO_SUCH_NODE);
  if (step.value === "no_place") throw new ProblemError(CURSOR_EXPIRED);
  return step.value;
}

function requestOf({ query, from, place, include }: Search, limit: number): MatchRequest {
  return { query, from, limit, order: place, isCounted: include.includes("count") };
}

function cursorBehind(scope: CursorScope, place: Place, matches: readonly Match[]): string | null {
  const last = matches.at(-1);
  if (last === undefined) return null;
  if (place.kind === "document") return writeCursor(scope, [last.key]);
  const given = place.given + matches.length;
  return given < MOST_LATEST ? writeCursor(scope, [last.key, last.modifiedAt, given]) : null;
}

/**
 * What a node is in, below the top of what the key reaches: the JSON of each, from the top. With an empty
 * text after each name that is read, which may be long.
 */
function* pathOf(
  view: ScopedOutline,
  key: NodeKey,
  names: Map<NodeKey, string>,
): Generator<string, string> {
  const path: string[] = [];
  for (const above of keysAbove(view, key, MOST_ABOVE)) {
    const known = names.get(above);
    const json = known ?? JSON.stringify({ id: view.id(above), name: nameOf(view, above) });
    path.push(json);
    if (known !== undefined) continue;
    names.set(above, json);
    yield "";
  }
  return path.join(",");
}

function nameOf(view: ScopedOutline, key: NodeKey): string {
  const name = plainText(view.outline.richText(key, "name"));
  return Array.from(name.slice(0, 2 * MOST_NAME))
    .slice(0, MOST_NAME)
    .join("");
}

/** What a node is in, from below the top of what the key reaches, which is in nothing: the nearest so many. */
export function keysAbove(view: ScopedOutline, key: NodeKey, most: number): readonly NodeKey[] {
  const path: NodeKey[] = [];
  let row = key === view.top ? undefined : view.outline.tree.rowAt(key)?.parent;
  for (; row?.parent !== undefined && row.key !== view.top; row = row.parent) {
    if (path.length === most) break;
    path.push(row.key);
  }
  return path.toReversed();
}

/** With an empty text wherever others may have their turn. */
function* spansOf(view: ScopedOutline, key: NodeKey, query: Query): Generator<string, string> {
  const spans: { [part in TextPart]: readonly Span[] } = { name: [], note: [] };
  for (const part of ["name", "note"] as const) {
    if (part === "name" && query.inNotes) continue;
    const steps = spansInSteps(plainText(view.outline.richText(key, part)), query);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield "";
    spans[part] = step.value;
  }
  return JSON.stringify(spans);
}
