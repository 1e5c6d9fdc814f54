import type { Workspace } from "../../state/workspace.ts";
import type { RowId } from "../rows/row-id.ts";
import { selectedBetween } from "../rows/selected-between.ts";

/** Selects the siblings from one row to another, or those that they are in. */
export function selectRowsBetween({ rows, focus }: Workspace, from: RowId, to: RowId): void {
  const [anchor, head] = [rows.indexOf(from), rows.indexOf(to)];
  const ids = selectedBetween(rows.rows.get(), anchor, head);
  const state = focus.state.get();
  const isSame =
    state?.kind === "nodes" && state.ids.length === ids.length && state.ids[0] === ids[0];
  if (isSame) return;
  if (anchor <= head) focus.selectNodes(ids);
  else focus.selectNodes(ids, ids.at(-1), ids[0]);
}
