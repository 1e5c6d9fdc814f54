import type { Position } from "../../../src/core/tree/sibling-gap.ts";
import type { Row } from "../outline/rows/outline-rows.ts";
import { siblingAfter, siblingBefore } from "../outline/rows/row-neighbours.ts";
import type { RowId } from "../outline/rows/row-id.ts";
import { parentIndex } from "../outline/rows/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { isOneList } from "./outcome.ts";
import { moveTo, type RowDestination } from "./indent-commands.ts";

export const MOVE_COMMANDS: readonly Command[] = [
  {
    id: "node.moveUp",
    label: "Move up",
    group: "move",
    keys: ["Alt+Shift+ArrowUp"],
    macKeys: ["Mod+Shift+ArrowUp"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => move(workspace, ids, "up"),
  },
  {
    id: "node.moveDown",
    label: "Move down",
    group: "move",
    keys: ["Alt+Shift+ArrowDown"],
    macKeys: ["Mod+Shift+ArrowDown"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => move(workspace, ids, "down"),
  },
  {
    id: "node.moveTo",
    label: "Move to…",
    group: "move",
    words: "send file elsewhere",
    keys: ["Mod+Shift+M"],
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { ids }) => ids.length > 0 && ids[0] !== rows.zoom.get(),
    run: ({ dialog }, { ids }) => dialog.set({ kind: "move", ids }),
  },
];

type Way = "up" | "down";

function move(workspace: Workspace, ids: readonly RowId[], way: Way): void {
  if (!isOneList(workspace, ids)) return;
  const to = placeBeyond(workspace, ids, way);
  if (to !== undefined) moveTo(workspace, ids, to);
  else if (ids.length > 0) workspace.notices.announce(way === "up" ? "At the top" : "At the end");
}

/** Beyond the next sibling; at the edge into the parent's next one, else out beyond the own parent. */
function placeBeyond(
  { rows }: Workspace,
  ids: readonly RowId[],
  way: Way,
): RowDestination | undefined {
  const all = rows.rows.get();
  const siblingOf = way === "up" ? siblingBefore : siblingAfter;
  const beyond = ({ key }: Row): Position => (way === "up" ? { before: key } : { after: key });
  const end = way === "up" ? ids[0] : ids.at(-1);
  const index = end === undefined ? -1 : rows.indexOf(end);
  if (index < 0) return undefined;
  const above = parentIndex(all, index);
  const parent = all[above ?? -1];
  const sibling = siblingOf(all, index);
  if (sibling !== undefined) {
    return { parent: parent?.id ?? rows.zoom.get(), position: beyond(sibling) };
  }
  if (above === undefined || parent === undefined) return undefined;
  const neighbour = siblingOf(all, above);
  if (neighbour !== undefined) {
    rows.setCollapsed([neighbour.id], false);
    return { parent: neighbour.id, position: way === "up" ? "bottom" : "top" };
  }
  const grandparent = all[parentIndex(all, above) ?? -1]?.id ?? rows.zoom.get();
  return { parent: grandparent, position: beyond(parent) };
}
