import { type NodeKey, ROOT } from "../../core/node-key.ts";
import { separated } from "../answer/list-stream.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import type { ToldChanges } from "./told-changes.ts";

/** Of a node with more, a list is not told whole. */
const MOST_CHILDREN = 1_000;

/** How changed nodes are told. */
export type ChangedForm = "ids" | "nodes";

export function isEmpty({ changed, removed }: ToldChanges): boolean {
  return changed.length + removed.length === 0;
}

/**
 * The JSON of what has changed and was removed, without the braces around it. What has left the view
 * since it was found is told the next time.
 */
export function* tellingPieces(
  view: ScopedOutline,
  { changed, removed, lists }: ToldChanges,
  form: ChangedForm,
): Generator<string> {
  yield '"changed":[';
  yield* separated(form === "ids" ? idsOf(view, changed) : view.those(changed));
  yield '],"removed":[';
  yield* separated(idsOf(view, removed));
  if (lists !== undefined) {
    yield '],"lists":[';
    yield* separated(listsOf(view, lists));
  }
  yield "]";
}

function* listsOf(view: ScopedOutline, parents: readonly NodeKey[]): Generator<string> {
  for (const parent of parents) {
    if (parent !== ROOT && !view.reaches(parent)) continue;
    const isLong = view.outline.childCount(parent) > MOST_CHILDREN;
    const ids = isLong ? null : view.outline.childKeys(parent).map((key) => view.id(key));
    yield JSON.stringify({ parent_id: parent === ROOT ? null : view.id(parent), ids });
  }
}

function* idsOf(view: ScopedOutline, keys: readonly NodeKey[]): Generator<string> {
  for (const key of keys) yield `"${view.id(key)}"`;
}
