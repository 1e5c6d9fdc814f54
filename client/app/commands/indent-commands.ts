import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/outline.ts";
import { siblingBefore } from "../outline/row-neighbours.ts";
import { parentIndex } from "../outline/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { holdFocus, isDone } from "./outcome.ts";

export const INDENT_COMMANDS: readonly Command[] = [
  {
    id: "node.indent",
    label: "Indent",
    group: "move",
    words: "tab below deeper",
    keys: { mac: ["Tab"], others: ["Tab"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { keys }) => void indent(workspace, keys),
  },
  {
    id: "node.outdent",
    label: "Outdent",
    group: "move",
    words: "shift tab out",
    keys: { mac: ["Shift+Tab"], others: ["Shift+Tab"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { keys }) => void outdent(workspace, keys),
  },
];

/** Puts siblings below the one above them, which is opened. False when there is none. */
function indent(workspace: Workspace, keys: readonly NodeKey[]): boolean {
  const { rows } = workspace;
  const [first] = keys;
  const index = first === undefined ? -1 : rows.indexOf(first);
  const above = index < 0 ? undefined : siblingBefore(rows.rows.get(), index);
  if (above === undefined) return false;
  rows.setCollapsed([above.key], false);
  return moveTo(workspace, keys, { parent: above.key, position: "bottom" });
}

/** Puts siblings behind what they are below. False at the top of what is looked at. */
export function outdent(workspace: Workspace, keys: readonly NodeKey[]): boolean {
  const { rows } = workspace;
  const all = rows.rows.get();
  const [first] = keys;
  const index = first === undefined ? -1 : rows.indexOf(first);
  const above = index < 0 ? undefined : parentIndex(all, index);
  const parent = all[above ?? -1];
  if (above === undefined || parent === undefined) return false;
  const grandparent = all[parentIndex(all, above) ?? -1]?.key ?? rows.zoom.get();
  return moveTo(workspace, keys, { parent: grandparent, position: { after: parent.key } });
}

/** Moves siblings with the caret or selection that is in them, and says where they are. */
export function moveTo(workspace: Workspace, keys: readonly NodeKey[], to: Destination): boolean {
  const { rows, replica, notices } = workspace;
  if (!isDone(workspace, replica.edits.move(keys, to))) return false;
  holdFocus(workspace);
  const [first] = keys;
  const row = first === undefined ? undefined : rows.rows.get()[rows.indexOf(first)];
  if (row !== undefined) notices.announce(`Level ${row.depth + 1}`);
  return true;
}
