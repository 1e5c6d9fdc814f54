import type { Position } from "../../../src/core/tree/sibling-gap.ts";
import { belowRow, keyOf, type RowId, viaOf } from "../outline/rows/row-id.ts";
import { siblingBefore } from "../outline/rows/row-neighbours.ts";
import { endOfBlock, parentIndex } from "../outline/rows/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { holdFocus, isDone, isOneList } from "./outcome.ts";

export const INDENT_COMMANDS: readonly Command[] = [
  {
    id: "node.indent",
    label: "Indent",
    group: "move",
    words: "tab below deeper",
    keys: ["Tab"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => void indent(workspace, ids),
  },
  {
    id: "node.outdent",
    label: "Outdent",
    group: "move",
    words: "shift tab out",
    keys: ["Shift+Tab"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => void outdent(workspace, ids),
  },
];

/** Puts siblings below the one above them, which is opened. False when there is none. */
function indent(workspace: Workspace, ids: readonly RowId[]): boolean {
  const { rows } = workspace;
  if (!isOneList(workspace, ids)) return false;
  const [first] = ids;
  const index = first === undefined ? -1 : rows.indexOf(first);
  const above = index < 0 ? undefined : siblingBefore(rows.rows.get(), index);
  if (above === undefined) return false;
  rows.setCollapsed([above.id], false);
  return moveTo(workspace, ids, { parent: above.id, position: "bottom" });
}

/** Puts siblings behind what they are below. False at the top of what is looked at. */
export function outdent(workspace: Workspace, ids: readonly RowId[]): boolean {
  const { rows } = workspace;
  if (!isOneList(workspace, ids)) return false;
  const all = rows.rows.get();
  const [first] = ids;
  const index = first === undefined ? -1 : rows.indexOf(first);
  const above = index < 0 ? undefined : parentIndex(all, index);
  const parent = all[above ?? -1];
  if (above === undefined || parent === undefined) return false;
  const grandparent = all[parentIndex(all, above) ?? -1]?.id ?? rows.zoom.get();
  return moveTo(workspace, ids, { parent: grandparent, position: { after: parent.key } });
}

/** A place beside or below a row. */
export interface RowDestination {
  readonly parent: RowId;
  readonly position: Position;
}

/** Moves siblings with the caret or selection that is in them, and says where they are. */
export function moveTo(workspace: Workspace, ids: readonly RowId[], to: RowDestination): boolean {
  const { rows, replica, notices, focus } = workspace;
  const state = focus.state.get();
  const head = state && rows.indexOf(state.kind === "text" ? state.id : state.head);
  const isInside = ids.some((id) => {
    const at = rows.indexOf(id);
    const end = endOfBlock(rows.rows.get(), at);
    return head !== undefined && at >= 0 && at <= head && head < end;
  });
  const place = { ...to, parent: keyOf(to.parent) };
  if (!isDone(workspace, replica.edits.move(ids.map(keyOf), place))) return false;
  const [first] = ids;
  if (first === undefined) return true;
  const moved = belowRow(replica.outline, to.parent, keyOf(first));
  holdFocus(workspace, (id) => {
    if (!isInside) return id;
    const carried = `${viaOf(moved)}${id.slice(viaOf(first).length)}` as RowId;
    return rows.indexOf(carried) >= 0 ? carried : keyOf(id);
  });
  const row = rows.rows.get()[rows.indexOf(moved)];
  if (row !== undefined) notices.announce(`Level ${row.depth + 1}`);
  return true;
}
