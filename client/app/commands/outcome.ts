import { shownLayout } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { sentenceOfFull } from "../../../src/core/room/outline-full.ts";
import type { EditRefusal } from "../../lib/edit/edits.ts";
import { factsOf } from "../outline/rows/node-facts.ts";
import { aboveRow, type RowId } from "../outline/rows/row-id.ts";
import type { Workspace } from "../state/workspace.ts";

/** Whether an edit was done; a refusal is told to the person. */
export function isDone<T extends { readonly kind: "ok" | "created" }>(
  workspace: Workspace,
  result: T | EditRefusal,
): result is T {
  if (isRefusal(result)) {
    workspace.notices.warn(sentenceOf(result));
    return false;
  }
  return true;
}

function isRefusal(result: { readonly kind: string }): result is EditRefusal {
  return result.kind !== "ok" && result.kind !== "created";
}

function sentenceOf(refusal: EditRefusal): string {
  switch (refusal.kind) {
    case "not_found":
      return "That line is no longer there.";
    case "invalid_parent":
      return "A line can’t go below itself.";
    case "system_node":
      return "The inbox and the days of the calendar stay as they are.";
    case "mirror":
      return "A mirror is not joined with other lines.";
    case "invalid_link":
      return "That is no address a link can have.";
    case "text_too_long":
      return "Not done: a line or note of more than a million characters, or ten thousand formats, can’t be saved.";
    case "invalid_shortcut":
    case "invalid_setting":
      return refusal.reason;
    case "outline_full":
      return sentenceOfFull(refusal);
  }
}

/** Whether lines stand in one list, as a move beside them needs it; what a search found may not. */
export function isOneList({ replica, notices }: Workspace, ids: readonly RowId[]): boolean {
  const parents = new Set(ids.map((id) => aboveRow(replica.outline, id)));
  if (parents.size <= 1) return true;
  notices.show("Not done: these lines are in several lists.");
  return false;
}

/** Makes a bullet of a line that is shown as something else. False where it is one. */
export function giveUpLayout(workspace: Workspace, key: NodeKey): boolean {
  const { edits, outline } = workspace.replica;
  if (shownLayout(factsOf(outline, key).layout) === "bullets") return false;
  isDone(workspace, edits.layout([key], "bullets"));
  return true;
}

/**
 * Asks for the caret or selection that there is once more: rows have moved under it.
 *
 * @param now what a row is called that was called otherwise before
 */
export function holdFocus({ focus }: Workspace, now: (id: RowId) => RowId = (id) => id): void {
  const state = focus.state.get();
  if (state?.kind === "text") focus.selectText(now(state.id), state.part, state.anchor, state.head);
  else if (state !== undefined)
    focus.selectNodes(state.ids.map(now), now(state.anchor), now(state.head));
}
