import type { NodeKey } from "../../../src/core/node-key.ts";
import { isDone } from "../commands/outcome.ts";
import type { Workspace } from "../state/workspace.ts";

/** Looks into a day of the calendar; one that is not there yet is made, with a line to write in. */
export function openDay(workspace: Workspace, day: NodeKey): void {
  const { replica, rows } = workspace;
  const { outline, edits } = replica;
  if (!outline.has(day) && !isDone(workspace, edits.create({ parent: day, name: "" }))) return;
  rows.zoomTo(day);
  const [first] = outline.childKeys(day);
  if (first !== undefined) workspace.focus.caret(first, "end");
}
