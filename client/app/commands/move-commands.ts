import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/outline.ts";
import { siblingAfter, siblingBefore } from "../outline/row-neighbours.ts";
import { parentIndex } from "../outline/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { moveTo } from "./indent-commands.ts";

export const MOVE_COMMANDS: readonly Command[] = [
  {
    id: "node.moveUp",
    label: "Move up",
    group: "move",
    keys: { mac: ["Mod+Shift+ArrowUp"], others: ["Alt+Shift+ArrowUp"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { keys }) => move(workspace, keys, "up"),
  },
  {
    id: "node.moveDown",
    label: "Move down",
    group: "move",
    keys: { mac: ["Mod+Shift+ArrowDown"], others: ["Alt+Shift+ArrowDown"] },
    places: ["phone"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { keys }) => move(workspace, keys, "down"),
  },
  {
    id: "node.moveTo",
    label: "Move to…",
    group: "move",
    words: "send file elsewhere",
    keys: { mac: ["Mod+Shift+M"], others: ["Mod+Shift+M"] },
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { keys }) => keys.length > 0 && keys[0] !== rows.zoom.get(),
    run: ({ dialog }, { keys }) => dialog.set({ kind: "move", keys }),
  },
];

function move(workspace: Workspace, keys: readonly NodeKey[], way: "up" | "down"): void {
  const to = way === "up" ? placeAbove(workspace, keys) : placeBelow(workspace, keys);
  if (to !== undefined) moveTo(workspace, keys, to);
  else if (keys.length > 0) workspace.notices.announce(way === "up" ? "At the top" : "At the end");
}

/** Before the sibling above; at the edge into the parent above, else out before the own parent. */
function placeAbove({ rows }: Workspace, keys: readonly NodeKey[]): Destination | undefined {
  const all = rows.rows.get();
  const [first] = keys;
  const index = first === undefined ? -1 : rows.indexOf(first);
  if (index < 0) return undefined;
  const above = parentIndex(all, index);
  const parent = all[above ?? -1];
  const sibling = siblingBefore(all, index);
  if (sibling !== undefined) {
    return { parent: parent?.key ?? rows.zoom.get(), position: { before: sibling.key } };
  }
  if (above === undefined || parent === undefined) return undefined;
  const neighbour = siblingBefore(all, above);
  if (neighbour !== undefined) {
    rows.setCollapsed([neighbour.key], false);
    return { parent: neighbour.key, position: "bottom" };
  }
  const grandparent = all[parentIndex(all, above) ?? -1]?.key ?? rows.zoom.get();
  return { parent: grandparent, position: { before: parent.key } };
}

/** The same downwards. */
function placeBelow({ rows }: Workspace, keys: readonly NodeKey[]): Destination | undefined {
  const all = rows.rows.get();
  const last = keys.at(-1);
  const index = last === undefined ? -1 : rows.indexOf(last);
  if (index < 0) return undefined;
  const above = parentIndex(all, index);
  const parent = all[above ?? -1];
  const sibling = siblingAfter(all, index);
  if (sibling !== undefined) {
    return { parent: parent?.key ?? rows.zoom.get(), position: { after: sibling.key } };
  }
  if (above === undefined || parent === undefined) return undefined;
  const neighbour = siblingAfter(all, above);
  if (neighbour !== undefined) {
    rows.setCollapsed([neighbour.key], false);
    return { parent: neighbour.key, position: "top" };
  }
  const grandparent = all[parentIndex(all, above) ?? -1]?.key ?? rows.zoom.get();
  return { parent: grandparent, position: { after: parent.key } };
}
