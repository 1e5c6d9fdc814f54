import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { rankIn } from "../../../src/core/tree-row.ts";
import { factsOf } from "../outline/node-facts.ts";
import { textOfNode } from "../outline/text-of-node.ts";
import { endOfBlock } from "../outline/visible-row.ts";
import type { NoticeAction } from "../page/notices.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { holdFocus, isDone, linesInWords } from "./outcome.ts";

export const NODE_COMMANDS: readonly Command[] = [
  {
    id: "node.complete",
    label: "Complete",
    group: "write",
    words: "done check reopen",
    keys: { mac: ["Mod+Enter"], others: ["Mod+Enter"] },
    places: ["slash", "phone", "bullet"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { keys }) => complete(workspace, keys),
  },
  {
    id: "node.note",
    label: "Note",
    group: "write",
    words: "description comment",
    keys: { mac: ["Shift+Enter"], others: ["Shift+Enter"] },
    places: ["slash", "bullet"],
    isEnabled: (_, { keys }) => keys.length === 1,
    run({ replica, focus }, { keys: [key], text }) {
      if (key === undefined) return;
      if (text?.part === "note") focus.caret(key, "end");
      else if (replica.edits.text(key, "note", true) !== undefined) focus.caret(key, "end", "note");
    },
  },
  {
    id: "node.duplicate",
    label: "Duplicate",
    group: "write",
    words: "copy repeat",
    keys: { mac: ["Mod+Shift+D"], others: ["Mod+Shift+D"] },
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { keys }) => keys.length > 0 && keys[0] !== rows.zoom.get(),
    run(workspace, { keys, text }) {
      const made = workspace.replica.edits.duplicate(keys);
      if (!isDone(workspace, made)) return;
      const [first] = made.keys;
      const last = made.keys.at(-1);
      if (first === undefined || last === undefined) return;
      if (text === undefined) workspace.focus.selectNodes(made.keys, first, last);
      else workspace.focus.caret(first, text.to);
    },
  },
  {
    id: "node.mirror",
    label: "Mirror",
    group: "write",
    words: "copy same twice",
    keys: { mac: ["Mod+Shift+Y"], others: ["Mod+Shift+Y"] },
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { keys }) => keys.length === 1 && keys[0] !== rows.zoom.get(),
    run(workspace, { keys: [key] }) {
      const { outline, edits } = workspace.replica;
      const parent = key && outline.placeOf(key)?.parent.key;
      if (key === undefined || parent === undefined) return;
      const made = edits.mirror(key, { parent, position: { after: key } });
      if (isDone(workspace, made)) workspace.focus.caret(made.key, "end");
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
    run: (workspace, { keys }) => trash(workspace, keys),
  },
  {
    id: "node.deleteSelected",
    label: "Delete the selected lines",
    group: "select",
    keys: { mac: ["Backspace", "Delete"], others: ["Backspace", "Delete"] },
    isOfWriting: true,
    isEnabled: (_, { keys, text }) => keys.length > 0 && text === undefined,
    run: (workspace, { keys }) => trash(workspace, keys),
  },
];

function complete(workspace: Workspace, keys: readonly NodeKey[]): void {
  const { replica, rows, focus, notices } = workspace;
  const isAllDone = keys.every((key) => factsOf(replica.outline, key).isCompleted);
  const next = neighbourOf(workspace, keys);
  if (!isDone(workspace, replica.edits.complete(keys, !isAllDone))) return;
  notices.announce(isAllDone ? "Reopened" : "Completed");
  const [first] = keys;
  if (first === rows.zoom.get()) return;
  // Where completed lines are hidden the caret can't stay.
  if (first !== undefined && rows.indexOf(first) < 0 && next !== undefined)
    focus.caret(next, "end");
}

/** Moves nodes to the trash; the notice has the way back. */
export function trash(workspace: Workspace, keys: readonly NodeKey[]): void {
  const { replica, focus, notices } = workspace;
  const above = neighbourOf(workspace, keys);
  const [first] = keys;
  const name = first === undefined ? "" : textOfNode(replica, first);
  const isZoomed = first === workspace.rows.zoom.get();
  const sibling = isZoomed && first !== undefined ? siblingAbove(workspace, first) : undefined;
  if (!isDone(workspace, replica.edits.trash(keys))) return;
  const next = isZoomed ? afterZoomOut(workspace, sibling) : above;
  if (next === undefined) focus.clear();
  else focus.caret(next, "end");
  notices.show({
    text:
      keys.length === 1 && name.trim() !== ""
        ? `Deleted “${shortened(name)}”`
        : `Deleted ${linesInWords(keys.length)}`,
    tone: "plain",
    action: wayBack(workspace, () => {
      replica.history.step(() => keys.forEach((key) => replica.edits.restore(key)));
    }),
  });
}

/**
 * The "Undo" of a notice about the step just made.
 *
 * @param otherwise when something else has been done since, which undo would take back instead
 */
export function wayBack({ replica, commands }: Workspace, otherwise: () => void): NoticeAction {
  const step = replica.history.last;
  return {
    label: "Undo",
    run() {
      if (replica.history.last === step) commands.run("history.undo");
      else otherwise();
    },
  };
}

/** The row that the caret goes to when siblings vanish: the one above them, else the one below. */
export function neighbourOf({ rows }: Workspace, keys: readonly NodeKey[]): NodeKey | undefined {
  const all = rows.rows.get();
  const [first] = keys;
  const last = keys.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const index = rows.indexOf(first);
  if (index < 0) return undefined;
  const above = all[index - 1];
  return (above ?? all[endOfBlock(all, rows.indexOf(last))])?.key;
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
  const step = way === "undo" ? replica.history.undo() : replica.history.redo();
  if (step === undefined) {
    const text = way === "undo" ? NOTHING_TO_UNDO : "Nothing to redo";
    notices.show({ text, tone: "plain" });
    return;
  }
  const { caret } = step;
  if (caret !== undefined && replica.outline.has(caret.key)) {
    rows.reveal(caret.key);
    focus.caret(caret.key, caret.at, caret.part);
  } else holdFocus(workspace);
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

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
