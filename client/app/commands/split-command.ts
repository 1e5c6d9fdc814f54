import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Layout } from "../../../src/core/node/layout.ts";
import { factsOf } from "../outline/rows/node-facts.ts";
import type { Row } from "../outline/rows/outline-rows.ts";
import { aboveRow, belowRow, keyOf, type RowId } from "../outline/rows/row-id.ts";
import { siblingAfter } from "../outline/rows/row-neighbours.ts";
import { textOfNode } from "../outline/focus/text-of-node.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { outdent, type RowDestination } from "./indent-commands.ts";
import { giveUpLayout, isDone } from "./outcome.ts";

export const SPLIT: Command = {
  id: "node.split",
  label: "New line",
  group: "write",
  words: "enter split add",
  keys: ["Enter"],
  isOfWriting: true,
  isEnabled: (_, { keys, text }) => keys.length > 0 && text?.part !== "note",
  run(workspace, { ids, text }) {
    const id = text === undefined ? ids.at(-1) : ids[0];
    if (id === undefined) return;
    if (text === undefined) workspace.focus.caret(id, "end");
    else workspace.replica.history.step(() => enter(workspace, id, text.from, text.to));
  },
};

/** Enter in a name, where from `from` to `to` is selected. */
function enter(workspace: Workspace, id: RowId, from: number, to: number): void {
  const { replica, rows, focus } = workspace;
  const { edits } = replica;
  const key = keyOf(id);
  if (to > from) edits.type(key, "name", { at: from, remove: to - from, insert: "" });
  const name = textOfNode(replica, key);
  const { layout } = factsOf(replica.outline, key);
  if (layout === "code-block" && !(from === name.length && name.endsWith("\n"))) {
    edits.type(key, "name", { at: from, remove: 0, insert: "\n" });
    focus.caret(id, from + 1);
    return;
  }
  const index = rows.indexOf(id);
  const row = rows.rows.get()[index];
  if (row === undefined || id === rows.zoom.get()) {
    add(workspace, key, from, name, { parent: id, position: "top" }, "bullets");
    return;
  }
  if (name === "" && leaveEmptyRow(workspace, row, index)) return;
  if (layout === "code-block") {
    // A second Enter at the end leaves the code and takes the empty line along.
    edits.type(key, "name", { at: name.length - 1, remove: 1, insert: "" });
    add(workspace, key, from - 1, name.slice(0, -1), placeBelow(workspace, row), "bullets");
    return;
  }
  const continued = layout === "todo" ? "todo" : "bullets";
  if (from === 0 && name !== "") {
    const parent = replica.outline.node(key)?.parent;
    if (parent === undefined) return;
    const above = { parent, position: { before: key }, name: "", layout: continued } as const;
    if (isDone(workspace, edits.create(above))) focus.caret(id, "start");
    return;
  }
  add(workspace, key, from, name, placeBelow(workspace, row), continued);
}

/** The line right below: the first child of an expanded node, else the next sibling. */
function placeBelow({ replica }: Workspace, { id, key, isExpanded }: Row): RowDestination {
  const parent = aboveRow(replica.outline, id);
  return isExpanded || parent === undefined
    ? { parent: id, position: "top" }
    : { parent, position: { after: key } };
}

function add(
  workspace: Workspace,
  key: NodeKey,
  at: number,
  name: string,
  to: RowDestination,
  layout: Layout,
): void {
  const { edits, outline } = workspace.replica;
  const isAtEnd = at >= name.length;
  const place = { ...to, parent: keyOf(to.parent) };
  const made = isAtEnd ? edits.create({ ...place, name: "", layout }) : edits.split(key, at, place);
  if (!isDone(workspace, made)) return;
  workspace.focus.caret(belowRow(outline, to.parent, made.key), "start");
}

/** Enter in an empty row gives up its layout first, then its depth where it is the last one. */
function leaveEmptyRow(workspace: Workspace, row: Row, index: number): boolean {
  if (row.hasChildren) return false;
  if (giveUpLayout(workspace, row.key)) return true;
  const isLast = siblingAfter(workspace.rows.rows.get(), index) === undefined;
  return row.depth > 0 && isLast && outdent(workspace, [row.id]);
}
