import { ROOT } from "../../../src/core/node-key.ts";
import type { TreeRow } from "../../../src/core/tree/tree-row.ts";
import { rankIn } from "../../../src/core/tree/tree-row.ts";
import { factsOf, isEmptyLine } from "../outline/rows/node-facts.ts";
import { besideRow, keyOf, type RowId, viaOf } from "../outline/rows/row-id.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { giveUpLayout, isDone } from "./outcome.ts";

export const MERGE_COMMANDS: readonly Command[] = [
  {
    id: "node.mergeUp",
    label: "Join with the line above",
    group: "write",
    words: "merge backspace",
    keys: ["Backspace"],
    isOfWriting: true,
    isEnabled: ({ rows }, { ids: [id], text }) =>
      text?.part === "name" && text.from === 0 && text.to === 0 && id !== rows.zoom.get(),
    run(workspace, { ids: [id] }) {
      if (id !== undefined) mergeUp(workspace, id);
    },
  },
  {
    id: "node.leaveEmptyNote",
    label: "Leave the empty note",
    group: "write",
    words: "note backspace",
    keys: ["Backspace"],
    isOfWriting: true,
    isEnabled: ({ replica }, { keys: [key], text }) =>
      key !== undefined &&
      text?.part === "note" &&
      (replica.edits.text(key, "note")?.length ?? 0) === 0,
    run({ focus }, { ids: [id] }) {
      if (id !== undefined) focus.caret(id, "end");
    },
  },
  {
    id: "node.mergeDown",
    label: "Join with the line below",
    group: "write",
    words: "merge delete",
    keys: ["Delete"],
    isOfWriting: true,
    isEnabled: ({ replica }, { keys: [key], text }) =>
      key !== undefined &&
      text?.part === "name" &&
      text.from === text.to &&
      text.from === (replica.edits.text(key, "name")?.length ?? 0),
    run(workspace, { ids: [id] }) {
      if (id !== undefined) mergeDown(workspace, id);
    },
  },
];

function mergeUp(workspace: Workspace, id: RowId): void {
  const { rows, focus, replica } = workspace;
  const index = rows.indexOf(id);
  const zoom = rows.zoom.get();
  // Above the first row is the title, where there is one.
  const above = index === 0 && zoom !== ROOT ? zoom : rows.rows.get()[index - 1]?.id;
  const key = keyOf(id);
  const isBelowEmpty = above !== undefined && isEmptyLine(replica, keyOf(above));
  // A to-do may be what Enter has just made behind another one.
  const isTodo = factsOf(replica.outline, key).layout === "todo";
  if (!isBelowEmpty && !isTodo && giveUpLayout(workspace, key)) return;
  if (above !== undefined) {
    merge(workspace, id, above);
    return;
  }
  const below = rows.rows.get()[index + 1]?.id;
  if (below === undefined || !isEmptyLine(replica, key)) return;
  if (isDone(workspace, replica.edits.trash([key]))) focus.caret(below, "start");
}

function mergeDown(workspace: Workspace, id: RowId): void {
  const { rows } = workspace;
  const below = rows.rows.get()[rows.indexOf(id) + 1]?.id;
  if (below !== undefined) merge(workspace, below, id);
}

/** Makes one line of two rows, `above` right over `id`. What is empty goes, so that ids live on. */
function merge(workspace: Workspace, id: RowId, above: RowId): void {
  const { rows, focus, replica, notices } = workspace;
  const { edits, outline } = replica;
  const [key, into] = [keyOf(id), keyOf(above)];
  const node = outline.tree.visibleRow(key);
  const target = outline.tree.visibleRow(into);
  if (node === undefined || target === undefined) return;
  if (isEmptyLine(replica, key)) {
    if (isDone(workspace, edits.trash([key]))) focus.caret(rows.reveal(above), "end");
    return;
  }
  // One is in a mirror, the other beside it.
  if (viaOf(id) !== viaOf(above)) return void isDone(workspace, { kind: "mirror" });
  if (node.children.length > 0 && !isEmptyLine(replica, into)) {
    notices.show("Not joined: the lower line has lines below it.");
    return;
  }
  if (nextOf(target) !== node) {
    notices.show("Not joined: hidden lines lie between the two.");
    return;
  }
  const joined = edits.join(key, into);
  // A search may have shown it for what it was joined with.
  if (isDone(workspace, joined)) focus.caret(rows.reveal(besideRow(id, joined.key)), joined.at);
}

/** The node that follows in document order, shown or not. */
function nextOf(node: TreeRow): TreeRow | undefined {
  if (node.children.length > 0) return node.children[0];
  for (let at = node; at.parent !== undefined; at = at.parent) {
    const { children } = at.parent;
    const next = children[rankIn(children, at) + 1];
    if (next !== undefined) return next;
  }
  return undefined;
}
