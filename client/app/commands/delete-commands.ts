import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { rankIn } from "../../../src/core/tree/tree-row.ts";
import { countBelow } from "../outline/rows/count-below.ts";
import { keyOf, type RowId } from "../outline/rows/row-id.ts";
import { plainNameOf, shortened } from "../page/node-names.ts";
import type { NoticeAction } from "../page/notices.ts";
import { countOf } from "../page/status-words.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { neighbourOf } from "./node-commands.ts";
import { isDone } from "./outcome.ts";

export const DELETE_COMMANDS: readonly Command[] = [
  {
    id: "node.delete",
    label: "Delete",
    group: "write",
    words: "remove trash",
    keys: ["Mod+Shift+Backspace"],
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => trash(workspace, ids),
  },
  {
    id: "node.deleteSelected",
    label: "Delete the selected lines",
    group: "select",
    keys: ["Backspace", "Delete"],
    isOfWriting: true,
    isEnabled: (_, { keys, text }) => keys.length > 0 && text === undefined,
    run: (workspace, { ids }) => trash(workspace, ids),
  },
];

/** Counting more takes longer than a key may. */
const MOST_COUNTED = 10_000;

/** How many lines nodes are with what is shown below them; of more no more than `MOST_COUNTED`. */
function countLines(outline: OutlineView, keys: readonly NodeKey[]): number {
  let count = keys.length;
  for (const key of keys) count += countBelow(outline, key, MOST_COUNTED - count);
  return Math.min(count, MOST_COUNTED);
}

/** Moves nodes to the trash; the notice has the way back. */
export function trash(workspace: Workspace, ids: readonly RowId[]): void {
  const { replica, focus, notices } = workspace;
  const above = neighbourOf(workspace, ids);
  const keys = ids.map(keyOf);
  const [first] = keys;
  const name = first === undefined ? "" : plainNameOf(replica.outline, first);
  const isZoomed = ids[0] === workspace.rows.zoom.get();
  const sibling = isZoomed && first !== undefined ? siblingAbove(workspace, first) : undefined;
  const lines = countLines(replica.outline, keys);
  if (!isDone(workspace, replica.edits.trash(keys))) return;
  const next = isZoomed ? afterZoomOut(workspace, sibling) : above();
  if (next === undefined) focus.clear();
  else focus.caret(next, "end");
  const more = lines === MOST_COUNTED ? " or more" : "";
  const below = lines === 1 ? "" : ` and ${countOf(lines - 1, "line")}${more} below it`;
  notices.show(
    keys.length === 1 && name !== ""
      ? `Deleted “${shortened(name, 40)}”${below}`
      : `Deleted ${countOf(lines, "line")}${more}`,
    wayBack(workspace, () => {
      replica.history.step(() => keys.forEach((key) => replica.edits.restore(key)));
    }),
  );
}

const GONE_ON = "You have gone on since: undo takes back the newest step first.";

/**
 * The "Undo" of a notice about the step just made.
 *
 * @param otherwise when something else has been done since, which undo would take back instead
 */
export function wayBack(
  { replica, commands, notices }: Workspace,
  otherwise = (): void => notices.show(GONE_ON),
): NoticeAction {
  const step = replica.history.last;
  return {
    label: "Undo",
    of: step,
    run() {
      if (replica.history.last === step) commands.run("history.undo");
      else otherwise();
    },
  };
}

/** Where the caret goes when the node that was looked into has gone: to what was above it. */
function afterZoomOut({ rows }: Workspace, sibling: NodeKey | undefined): NodeKey | undefined {
  if (sibling !== undefined && rows.indexOf(sibling) >= 0) return sibling;
  const zoom = rows.zoom.get();
  return zoom === ROOT ? rows.rows.get()[0]?.key : zoom;
}

function siblingAbove({ replica }: Workspace, key: NodeKey): NodeKey | undefined {
  const node = replica.outline.tree.visibleRow(key);
  const siblings = node?.parent?.children;
  return node && siblings?.[rankIn(siblings, node) - 1]?.key;
}
