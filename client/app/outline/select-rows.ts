import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Workspace } from "../state/workspace.ts";
import { selectedBetween } from "./selected-between.ts";

/** Selects the siblings from one row to another, or those that they are in. */
export function selectRowsBetween({ rows, focus }: Workspace, from: NodeKey, to: NodeKey): void {
  const keys = selectedBetween(rows.rows.get(), rows.indexOf(from), rows.indexOf(to));
  const [first] = keys;
  const last = keys.at(-1);
  const state = focus.state.get();
  if (first === undefined || last === undefined) return;
  const isSame =
    state?.kind === "nodes" && state.keys.length === keys.length && state.keys[0] === first;
  if (isSame) return;
  const isDown = rows.indexOf(from) <= rows.indexOf(to);
  focus.selectNodes(keys, isDown ? first : last, isDown ? last : first);
}
