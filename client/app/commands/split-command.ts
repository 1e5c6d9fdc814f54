import { shownLayout, type Layout } from "../../../src/core/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/outline.ts";
import { factsOf } from "../outline/node-facts.ts";
import type { Row } from "../outline/outline-rows.ts";
import { siblingAfter } from "../outline/row-neighbours.ts";
import { textOfNode } from "../outline/text-of-node.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { outdent } from "./indent-commands.ts";
import { isDone } from "./outcome.ts";

export const SPLIT: Command = {
  id: "node.split",
  label: "New line",
  group: "write",
  words: "enter split add",
  keys: { mac: ["Enter"], others: ["Enter"] },
  isOfWriting: true,
  isEnabled: (_, { keys, text }) => keys.length > 0 && text?.part !== "note",
  run(workspace, { keys, text }) {
    const key = text === undefined ? keys.at(-1) : keys[0];
    if (key === undefined) return;
    if (text === undefined) workspace.focus.caret(key, "end");
    else workspace.replica.history.step(() => enter(workspace, key, text.from, text.to));
  },
};

/** Enter in a name, where from `from` to `to` is selected. */
function enter(workspace: Workspace, key: NodeKey, from: number, to: number): void {
  const { replica, rows, focus } = workspace;
  const { edits } = replica;
  if (to > from) edits.type(key, "name", { at: from, remove: to - from, insert: "" });
  const name = textOfNode(replica, key);
  const { layout } = factsOf(replica.outline, key);
  if (layout === "code-block" && !(from === name.length && name.endsWith("\n"))) {
    edits.type(key, "name", { at: from, remove: 0, insert: "\n" });
    focus.caret(key, from + 1);
    return;
  }
  const index = rows.indexOf(key);
  const row = rows.rows.get()[index];
  if (row === undefined || key === rows.zoom.get()) {
    add(workspace, key, from, name, { parent: key, position: "top" }, "bullets");
    return;
  }
  if (name === "" && leaveEmptyRow(workspace, row, index, layout)) return;
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
    if (isDone(workspace, edits.create(above))) focus.caret(key, "start");
    return;
  }
  add(workspace, key, from, name, placeBelow(workspace, row), continued);
}

/** The line right below: the first child of an expanded node, else the next sibling. */
function placeBelow({ replica }: Workspace, { key, isExpanded }: Row): Destination {
  const parent = replica.outline.node(key)?.parent;
  return isExpanded || parent === undefined
    ? { parent: key, position: "top" }
    : { parent, position: { after: key } };
}

function add(
  workspace: Workspace,
  key: NodeKey,
  at: number,
  name: string,
  to: Destination,
  layout: Layout,
): void {
  const { edits } = workspace.replica;
  const isAtEnd = at >= name.length;
  const made = isAtEnd ? edits.create({ ...to, name: "", layout }) : edits.split(key, at, to);
  if (!isDone(workspace, made)) return;
  workspace.focus.caret(made.key, "start");
}

/** Enter in an empty row gives up its layout first, then its depth where it is the last one. */
function leaveEmptyRow(workspace: Workspace, row: Row, index: number, layout: Layout): boolean {
  if (row.hasChildren) return false;
  if (shownLayout(layout) !== "bullets") {
    isDone(workspace, workspace.replica.edits.layout([row.key], "bullets"));
    return true;
  }
  const isLast = siblingAfter(workspace.rows.rows.get(), index) === undefined;
  return row.depth > 0 && isLast && outdent(workspace, [row.key]);
}
