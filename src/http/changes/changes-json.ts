import type { NodeKey } from "../../core/node-key.ts";
import { type ListItem, separated } from "../list-stream.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import type { ToldChanges } from "./told-changes.ts";

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
  { changed, removed }: ToldChanges,
  form: ChangedForm,
): Generator<string> {
  yield '"changed":[';
  yield* separated(form === "ids" ? idsOf(view, changed) : nodesOf(view, changed));
  yield '],"removed":[';
  yield* separated(idsOf(view, removed));
  yield "]";
}

function* idsOf(view: ScopedOutline, keys: readonly NodeKey[]): Generator<string> {
  for (const key of keys) yield `"${view.id(key)}"`;
}

function* nodesOf(view: ScopedOutline, keys: readonly NodeKey[]): Generator<ListItem> {
  for (const key of keys) {
    if (!view.reaches(key)) continue;
    const node = view.isLong(key) ? view.showInPieces(key) : view.show(key);
    if (node !== undefined) yield node;
  }
}
