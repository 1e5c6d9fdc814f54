import type { CaretPlace } from "../../lib/edit/history.ts";
import { factsOf } from "../outline/rows/node-facts.ts";
import type { Row } from "../outline/rows/outline-rows.ts";
import { keyOf, type RowId } from "../outline/rows/row-id.ts";
import { endOfBlock } from "../outline/rows/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";
import { targetOf } from "./target.ts";
import { holdFocus, isDone } from "./outcome.ts";

export const NODE_COMMANDS: readonly Command[] = [
  {
    id: "node.complete",
    label: "Complete",
    group: "write",
    words: "done check reopen",
    keys: ["Mod+Enter"],
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, target) => complete(workspace, target),
  },
  {
    id: "node.note",
    label: "Note",
    group: "write",
    words: "description comment",
    keys: ["Shift+Enter"],
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length === 1,
    run({ replica, focus }, { keys: [key], ids: [id], text }) {
      if (key === undefined || id === undefined) return;
      if (text?.part === "note") focus.caret(id, "end");
      else if (replica.edits.text(key, "note", true) !== undefined) focus.caret(id, "end", "note");
    },
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

const NOTHING_TO_UNDO =
  "Nothing to undo: only what was done since this page was opened can be. What was deleted before is in the trash.";

/** Undo and redo take the caret along. */
function travel(workspace: Workspace, way: "undo" | "redo"): void {
  const { replica, focus, notices } = workspace;
  const { ids } = targetOf(focus.state.get());
  const near = neighbourOf(workspace, ids);
  const undone = way === "undo" ? replica.history.last : undefined;
  const step = way === "undo" ? replica.history.undo() : replica.history.redo();
  if (step === undefined) {
    const text = way === "undo" ? NOTHING_TO_UNDO : "Nothing to redo";
    notices.show(text);
    return;
  }
  // What says that it was done, and offers the way back, is no longer true.
  for (const { id, action } of notices.shown.get()) {
    if (undone !== undefined && action?.of === undone) notices.dismiss(id);
  }
  const { caret } = step;
  if (caret !== undefined && replica.outline.has(caret.key)) goTo(workspace, caret);
  else if (ids.every((id) => replica.outline.has(keyOf(id)))) holdFocus(workspace);
  else {
    const row = near();
    if (row === undefined) focus.clear();
    else focus.caret(row, "end");
  }
  notices.announce(way === "undo" ? "Undone" : "Redone");
}

/** Opens what hides a place, and puts the caret there, or selects the lines that were selected. */
function goTo({ rows, focus }: Workspace, { key, part, at, via = "", lines }: CaretPlace): void {
  const id = rows.reveal(`${via}${key}` as RowId);
  const ids = lines as readonly RowId[] | undefined;
  if (ids?.every((each) => rows.indexOf(each) >= 0) !== true) return focus.caret(id, at, part);
  const [first = id] = ids;
  focus.selectNodes(ids, first === id ? (ids.at(-1) ?? id) : first, id);
}

export const HISTORY_COMMANDS: readonly Command[] = [
  {
    id: "history.undo",
    label: "Undo",
    group: "write",
    keys: ["Mod+Z"],
    isEnabled: () => true,
    run: (workspace) => travel(workspace, "undo"),
  },
  {
    id: "history.redo",
    label: "Redo",
    group: "write",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    macKeys: ["Mod+Shift+Z"],
    isEnabled: () => true,
    run: (workspace) => travel(workspace, "redo"),
  },
];
