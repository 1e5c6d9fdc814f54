import { seededNode } from "../../core/calendar/month-seed.ts";
import type { NodeKey } from "../../core/node-key.ts";
import { systemChain } from "../../core/calendar/system-nodes.ts";
import { htmlOfRichText } from "../../core/text/html-of-rich-text.ts";
import type { TreeRow } from "../../core/tree/tree-row.ts";
import { type NestedForm, nestedPieces } from "../answer/nested-pieces.ts";
import { NO_SUCH_NODE, ProblemError } from "../problem.ts";
import { jsonPieces } from "../answer/rendered-nodes.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { wordOfLayout } from "./doc-layout.ts";

/** What the top level has in place of digits and a name. */
const TOP_LEVEL = '"None":"Home"';

/**
 * The JSON of a place with so many levels below it, in pieces that are made as they are taken: a
 * visible node, the top level of what the key reaches, or a reserved node that is not there and would
 * be made as a destination.
 */
export function* docPieces(
  view: ScopedOutline,
  place: NodeKey | "top",
  depth: number,
): Generator<string> {
  const row = view.outline.tree.visibleRow(place === "top" ? view.top : place);
  if (place === "top") yield `{${TOP_LEVEL},"ancestors":[]`;
  else {
    yield "{";
    yield* row === undefined ? unmadePieces(place) : contentPieces(view, row);
    yield `,"ancestors":[{${TOP_LEVEL}}`;
    yield* ancestorPieces(view, place);
    yield "]";
  }
  if (row === undefined) yield "}";
  else yield* nestedPieces(view, row, depth, formOf(view));
}

function formOf(view: ScopedOutline): NestedForm {
  return {
    *node(row) {
      yield "{";
      yield* contentPieces(view, row);
    },
    children: ',"c":[',
    none: "",
    deeper: () => ',"+":1',
  };
}

/** The digits and the name, which come first, then what else the node has. */
function* contentPieces(view: ScopedOutline, row: TreeRow): Generator<string> {
  const { parent } = row;
  const node = parent && view.nodeInPieces({ row, parent, rank: 0 });
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
  if (node.origin === undefined) return;
  yield view.heldBy(row.key) === undefined ? ',"m":null' : `,"m":"${node.origin}"`;
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

/** A reserved node as it will be once it is made. @throws ProblemError for another, which has left */
function unmadePieces(key: NodeKey): Generator<string> {
  const seeded = seededNode(key);
  if (seeded === undefined) throw new ProblemError(NO_SUCH_NODE);
  const { name, date } = seeded;
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
