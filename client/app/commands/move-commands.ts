import { siblingAfter, siblingBefore } from "../outline/row-neighbours.ts";
import type { RowId } from "../outline/row-id.ts";
import { parentIndex } from "../outline/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { isOneList } from "./outcome.ts";
import { moveTo, type RowDestination } from "./indent-commands.ts";

export const MOVE_COMMANDS: readonly Command[] = [
  {
    id: "node.moveUp",
    label: "Move up",
    group: "move",
    keys: { mac: ["Mod+Shift+ArrowUp"], others: ["Alt+Shift+ArrowUp"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => move(workspace, ids, "up"),
  },
  {
    id: "node.moveDown",
    label: "Move down",
    group: "move",
    keys: { mac: ["Mod+Shift+ArrowDown"], others: ["Alt+Shift+ArrowDown"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => move(workspace, ids, "down"),
  },
  {
    id: "node.moveTo",
    label: "Move to…",
    group: "move",
    words: "send file elsewhere",
    keys: { mac: ["Mod+Shift+M"], others: ["Mod+Shift+M"] },
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { ids }) => ids.length > 0 && ids[0] !== rows.zoom.get(),
    run: ({ dialog }, { ids }) => dialog.set({ kind: "move", ids }),
  },
];

function move(workspace: Workspace, ids: readonly RowId[], way: "up" | "down"): void {
  if (!isOneList(workspace, ids)) return;
  const to = way === "up" ? placeAbove(workspace, ids) : placeBelow(workspace, ids);
  if (to !== undefined) moveTo(workspace, ids, to);
  else if (ids.length > 0) workspace.notices.announce(way === "up" ? "At the top" : "At the end");
}

/** Before the sibling above; at the edge into the parent above, else out before the own parent. */
function placeAbove({ rows }: Workspace, ids: readonly RowId[]): RowDestination | undefined {
  const all = rows.rows.get();
  const [first] = ids;
  const index = first === undefined ? -1 : rows.indexOf(first);
  if (index < 0) return undefined;
  const above = parentIndex(all, index);
  const parent = all[above ?? -1];
  const sibling = siblingBefore(all, index);
  if (sibling !== undefined) {
    return { parent: parent?.id ?? rows.zoom.get(), position: { before: sibling.key } };
  }
  if (above === undefined || parent === undefined) return undefined;
  const neighbour = siblingBefore(all, above);
  if (neighbour !== undefined) {
    rows.setCollapsed([neighbour.id], false);
    return { parent: neighbour.id, position: "bottom" };
  }
  const grandparent = all[parentIndex(all, above) ?? -1]?.id ?? rows.zoom.get();
  return { parent: grandparent, position: { before: parent.key } };
}

/** The same downwards. */
function placeBelow({ rows }: Workspace, ids: readonly RowId[]): RowDestination | undefined {
  const all = rows.rows.get();
  const last = ids.at(-1);
  const index = last === undefined ? -1 : rows.indexOf(last);
  if (index < 0) return undefined;
  const above = parentIndex(all, index);
  const parent = all[above ?? -1];
  const sibling = siblingAfter(all, index);
  if (sibling !== undefined) {
    return { parent: parent?.id ?? rows.zoom.get(), position: { after: sibling.key } };
  }
  if (above === undefined || parent === undefined) return undefined;
  const neighbour = siblingAfter(all, above);
  if (neighbour !== undefined) {
    rows.setCollapsed([neighbour.id], false);
    return { parent: neighbour.id, position: "top" };
  }
  const grandparent = all[parentIndex(all, above) ?? -1]?.id ?? rows.zoom.get();
  return { parent: grandparent, position: { after: parent.key } };
}
