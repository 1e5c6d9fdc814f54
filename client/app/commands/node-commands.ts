import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { rankIn } from "../../../src/core/tree-row.ts";
import { countBelow } from "../outline/count-below.ts";
import { factsOf } from "../outline/node-facts.ts";
import type { Row } from "../outline/outline-rows.ts";
import { keyOf, type RowId } from "../outline/row-id.ts";
import { endOfBlock } from "../outline/visible-row.ts";
import { plainNameOf, shortened } from "../page/node-names.ts";
import type { NoticeAction } from "../page/notices.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";
import { targetOf } from "./target.ts";
import { holdFocus, isDone } from "./outcome.ts";
import { countOf } from "../page/status-words.ts";

export const NODE_COMMANDS: readonly Command[] = [
  {
    id: "node.complete",
    label: "Complete",
    group: "write",
    words: "done check reopen",
    keys: { mac: ["Mod+Enter"], others: ["Mod+Enter"] },
    places: ["slash", "phone", "bullet"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, target) => complete(workspace, target),
  },
  {
    id: "node.note",
    label: "Note",
    group: "write",
    words: "description comment",
    keys: { mac: ["Shift+Enter"], others: ["Shift+Enter"] },
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length === 1,
    run({ replica, focus }, { keys: [key], ids: [id], text }) {
      if (key === undefined || id === undefined) return;
      if (text?.part === "note") focus.caret(id, "end");
      else if (replica.edits.text(key, "note", true) !== undefined) focus.caret(id, "end", "note");
    },
  },
  {
    id: "node.delete",
    label: "Delete",
    group: "write",
    words: "remove trash",
    keys: { mac: ["Mod+Shift+Backspace"], others: ["Mod+Shift+Backspace"] },
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => trash(workspace, ids),
  },
  {
    id: "node.deleteSelected",
    label: "Delete the selected lines",
    group: "select",
    keys: { mac: ["Backspace", "Delete"], others: ["Backspace", "Delete"] },
    isOfWriting: true,
    isEnabled: (_, { keys, text }) => keys.length > 0 && text === undefined,
    run: (workspace, { ids }) => trash(workspace, ids),
  },
];

function complete(workspace: Workspace, { keys, ids }: CommandTarget): void {
  const { replica, rows, focus, notices } = workspace;
  const isAllDone = keys.every((key) => factsOf(replica.outline, key).isCompleted);
  const next = neighbourOf(workspace, ids);
  if (!isDone(workspace, replica.edits.complete(keys, !isAllDone))) return;
  notices.announce(isAllDone ? "Reopened" : "Completed");
  const [first] = ids;
  if (first === undefined || first === rows.zoom.get() || rows.indexOf(first) >= 0) return;
  // Where completed lines are hidden the caret can't stay.
  const row = next();
  if (row !== undefined) focus.caret(row, "end");
}

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
    run() {
      if (replica.history.last === step) commands.run("history.undo");
      else otherwise();
    },
  };
}

/**
 * The row that the caret goes to when lines have vanished: the nearest above the first of them that is
 * left, else the next one below it. To be asked for before, and to be called behind that.
 */
export function neighbourOf({ rows }: Workspace, ids: readonly RowId[]): () => RowId | undefined {
  const all = rows.rows.get();
  const [first] = ids;
  const index = first === undefined ? all.length : Math.max(0, rows.indexOf(first));
  const isLeft = ({ id }: Row): boolean => rows.indexOf(id) >= 0;
  const gone = new Set(ids);
  return () => {
    const above = all.slice(0, index).findLast(isLeft);
    if (above !== undefined) return above.id;
    for (let at = index; at < all.length;) {
      const row = all[at];
      // To look for each of many that are gone would take long.
      if (row === undefined || gone.has(row.id)) at = endOfBlock(all, at);
      else if (isLeft(row)) return row.id;
      else at++;
    }
    return undefined;
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

const NOTHING_TO_UNDO =
  "Nothing to undo: only what was done since this page was opened can be. What was deleted before is in the trash.";

/** Undo and redo take the caret along. */
function travel(workspace: Workspace, way: "undo" | "redo"): void {
  const { replica, rows, focus, notices } = workspace;
  const { ids } = targetOf(focus.state.get());
  const near = neighbourOf(workspace, ids);
  const step = way === "undo" ? replica.history.undo() : replica.history.redo();
  if (step === undefined) {
    const text = way === "undo" ? NOTHING_TO_UNDO : "Nothing to redo";
    notices.show(text);
    return;
  }
  const { caret } = step;
  if (caret !== undefined && replica.outline.has(caret.key)) {
    const id = rows.reveal(`${caret.via ?? ""}${caret.key}` as RowId);
    focus.caret(id, caret.at, caret.part);
  } else if (ids.every((id) => replica.outline.has(keyOf(id)))) holdFocus(workspace);
  else {
    const row = near();
    if (row === undefined) focus.clear();
    else focus.caret(row, "end");
  }
  notices.announce(way === "undo" ? "Undone" : "Redone");
}

export const HISTORY_COMMANDS: readonly Command[] = [
  {
    id: "history.undo",
    label: "Undo",
    group: "write",
    keys: { mac: ["Mod+Z"], others: ["Mod+Z"] },
    places: ["phone"],
    isEnabled: () => true,
    run: (workspace) => travel(workspace, "undo"),
  },
  {
    id: "history.redo",
    label: "Redo",
    group: "write",
    keys: { mac: ["Mod+Shift+Z"], others: ["Mod+Shift+Z", "Mod+Y"] },
    isEnabled: () => true,
    run: (workspace) => travel(workspace, "redo"),
  },
];
