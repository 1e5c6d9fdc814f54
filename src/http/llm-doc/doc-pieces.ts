import { seededNode } from "../../core/month-seed.ts";
import type { NodeKey } from "../../core/node-key.ts";
import { systemChain } from "../../core/system-nodes.ts";
import { htmlOfRichText } from "../../core/text/html.ts";
import type { TreeRow } from "../../core/tree-row.ts";
import { jsonPieces } from "../rendered-nodes.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { wordOfLayout } from "./doc-layout.ts";

/** What the top level has in place of digits and a name. */
const TOP_LEVEL = '"None":"Home"';

/** A node's children that are still to be written. */
interface Level {
  readonly rows: Iterator<TreeRow>;
  readonly parent: TreeRow;
  isFirst: boolean;
}

/**
 * The JSON of a place with so many levels below it, in pieces that are made as they are taken: a
 * visible node, the top level of what the key reaches, or a reserved node that is not there and would
 * be made as a destination. Which children a node has is as it is when it is written; one that has
 * left since is left out.
 */
export function* docPieces(
  view: ScopedOutline,
  place: NodeKey | "top",
  depth: number,
): Generator<string> {
  const row = view.outline.tree.visibleRow(place === "top" ? view.top : place);
  yield "{";
  if (place === "top") yield `${TOP_LEVEL},"ancestors":[`;
  else {
    yield* row === undefined ? unmadePieces(place) : contentPieces(view, row);
    yield `,"ancestors":[{${TOP_LEVEL}}`;
    yield* ancestorPieces(view, place);
  }
  yield "]";
  const levels: Level[] = [];
  yield* begin(levels, row?.children ?? [], row, depth);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value: child } = level.rows.next();
    if (child === undefined) {
      levels.pop();
      yield "]}";
      continue;
    }
    if (child.parent !== level.parent || !view.outline.has(child.key)) continue;
    yield level.isFirst ? "{" : ",{";
    level.isFirst = false;
    yield* contentPieces(view, child);
    yield* begin(levels, child.children, child, depth);
  }
}

/** Begins the list of a node's children, or ends the node where none are to be written. */
function* begin(
  levels: Level[],
  children: readonly TreeRow[],
  parent: TreeRow | undefined,
  depth: number,
): Generator<string> {
  if (parent === undefined || children.length === 0) yield "}";
  else if (levels.length >= depth) yield `,"+":1}`;
  else {
    yield `,"c":[`;
    levels.push({ rows: children.slice().values(), parent, isFirst: true });
  }
}

/** The digits and the name, which come first, then what else the node has. */
function* contentPieces(view: ScopedOutline, row: TreeRow): Generator<string> {
  const { parent } = row;
  const node = parent && view.outline.nodeInPieces({ row, parent, rank: 0 });
  yield* namePieces(row.key, node?.name ?? []);
  if (node === undefined) return;
  if (node.note !== null) {
    yield `,"d":"`;
    yield* jsonPieces(node.note);
    yield '"';
  }
  const word = wordOfLayout(node.layout);
  if (word !== undefined) yield `,"l":"${word}"`;
  if (node.completedAt !== null) yield `,"x":1`;
}

/** What a place is in, from below the top level to its parent, as far as the key reaches. */
function* ancestorPieces(view: ScopedOutline, place: NodeKey): Generator<string> {
  const { tree } = view.outline;
  const unmade: NodeKey[] = [];
  let above = place === view.top ? undefined : tree.visibleRow(place)?.parent;
  if (tree.visibleRow(place) === undefined) {
    for (const key of systemChain(place).slice(0, -1).toReversed()) {
      above = tree.visibleRow(key);
      if (above !== undefined) break;
      unmade.unshift(key);
    }
  }
  const there: TreeRow[] = [];
  for (let row = above; row?.parent !== undefined; row = row.parent) {
    there.push(row);
    if (row.key === view.top) break;
  }
  for (const { key } of there.toReversed()) {
    yield ",{";
    yield* namePieces(key, view.namePieces(key));
    yield "}";
  }
  for (const key of unmade) {
    yield ",{";
    yield* unmadePieces(key);
    yield "}";
  }
}

/** A reserved node as it will be once it is made. */
function unmadePieces(key: NodeKey): Generator<string> {
  const { name, date } = seededNode(key) ?? { name: "" };
  const html = htmlOfRichText([
    date === undefined ? { insert: name } : { insert: name, attributes: { d: date } },
  ]);
  return namePieces(key, [html]);
}

function* namePieces(key: NodeKey, name: Iterable<string>): Generator<string> {
  yield `"${key}":"`;
  yield* jsonPieces(name);
  yield '"';
}
