import type { Workspace } from "../state/workspace.ts";
import type { RowId } from "./row-id.ts";
import { selectedBetween } from "./selected-between.ts";

/** Selects the siblings from one row to another, or those that they are in. */
export function selectRowsBetween({ rows, focus }: Workspace, from: RowId, to: RowId): void {
  const ids = selectedBetween(rows.rows.get(), rows.indexOf(from), rows.indexOf(to));
  const [first] = ids;
  const last = ids.at(-1);
  const state = focus.state.get();
  if (first === undefined || last === undefined) return;
  const isSame =
    state?.kind === "nodes" && state.ids.length === ids.length && state.ids[0] === first;
  if (isSame) return;
  const isDown = rows.indexOf(from) <= rows.indexOf(to);
  focus.selectNodes(ids, isDown ? first : last, isDown ? last : first);
}
