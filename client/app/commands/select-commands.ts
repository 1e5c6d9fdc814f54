import { keyOf, type RowId } from "../outline/rows/row-id.ts";
import { siblingAfter, siblingBefore } from "../outline/rows/row-neighbours.ts";
import type { NodeFocus } from "../outline/focus/focus.ts";
import { selectedBetween } from "../outline/rows/selected-between.ts";
import { parentIndex } from "../outline/rows/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";

export const SELECT_COMMANDS: readonly Command[] = [
  {
    id: "select.up",
    label: "Select the line, then the one above",
    group: "select",
    keys: ["Shift+ArrowUp"],
    edge: "up",
    isOfWriting: true,
    isEnabled: ({ rows }, { ids: [id] }) => id !== undefined && id !== rows.zoom.get(),
    run: (workspace) => extend(workspace, "up"),
  },
  {
    id: "select.down",
    label: "Select the line, then the one below",
    group: "select",
    keys: ["Shift+ArrowDown"],
    edge: "down",
    isOfWriting: true,
    isEnabled: ({ rows }, { ids: [id] }) => id !== undefined && id !== rows.zoom.get(),
    run: (workspace) => extend(workspace, "down"),
  },
  {
    id: "select.all",
    label: "Select the text, then the line, then everything",
    group: "select",
    keys: ["Mod+A"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace) => climb(workspace),
  },
  {
    id: "select.none",
    label: "Back to the text",
    group: "select",
    keys: ["Escape"],
    isOfWriting: true,
    isEnabled: ({ focus }) => focus.state.get()?.kind === "nodes",
    run({ focus }) {
      const state = focus.state.get();
      if (state?.kind === "nodes") focus.caret(state.head, "end");
    },
  },
];

function extend(workspace: Workspace, way: "up" | "down"): void {
  const state = workspace.focus.state.get();
  if (state?.kind === "text") select(workspace, state.id, state.id);
  else if (state !== undefined) extendNodes(workspace, state, way);
}

/** The moving end goes to the next sibling; past the last one the parent is selected. */
function extendNodes(workspace: Workspace, state: NodeFocus, way: "up" | "down"): void {
  const { rows } = workspace;
  const all = rows.rows.get();
  const index = rows.indexOf(state.head);
  if (index < 0) return;
  const next = way === "up" ? siblingBefore(all, index) : siblingAfter(all, index);
  if (next !== undefined) {
    const count = select(workspace, state.anchor, next.id);
    workspace.notices.announce(`${count} selected`);
    return;
  }
  const parent = all[parentIndex(all, index) ?? -1]?.id;
  if (parent !== undefined) select(workspace, parent, parent);
}

/** Selects more with every call: the text, the line, all that is looked at. */
function climb(workspace: Workspace): void {
  const { replica, rows, focus, notices } = workspace;
  const state = focus.state.get();
  if (state?.kind === "text") {
    const { id, part, anchor, head } = state;
    const length = replica.edits.text(keyOf(id), part)?.length ?? 0;
    if (Math.abs(anchor - head) < length) return focus.selectText(id, part, 0, length);
    if (id !== rows.zoom.get() && select(workspace, id, id) > 0) return;
  }
  const all = rows.rows.get();
  const [first] = all;
  const ids = selectedBetween(all, 0, all.length - 1);
  if (first === undefined || ids.length === 0) return;
  const at = state === undefined ? -1 : rows.indexOf(state.kind === "text" ? state.id : state.head);
  // What is in sight stays there.
  const head = all.slice(0, at + 1).findLast(({ depth }) => depth === 0) ?? first;
  focus.selectNodes(ids, first.id, head.id);
  notices.announce(`${ids.length} selected`);
}

/** Answers how many lines are selected then; 0 leaves everything as it is. */
function select({ rows, focus }: Workspace, anchor: RowId, head: RowId): number {
  const ids = selectedBetween(rows.rows.get(), rows.indexOf(anchor), rows.indexOf(head));
  if (ids.length > 0) focus.selectNodes(ids, anchor, head);
  return ids.length;
}
