import { keyOf, type RowId } from "../outline/row-id.ts";
import { siblingAfter, siblingBefore } from "../outline/row-neighbours.ts";
import type { NodeFocus } from "../outline/focus.ts";
import { selectedBetween } from "../outline/selected-between.ts";
import { parentIndex } from "../outline/visible-row.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";

export const SELECT_COMMANDS: readonly Command[] = [
  {
    id: "select.up",
    label: "Select the line, then the one above",
    group: "select",
    keys: { mac: ["Shift+ArrowUp"], others: ["Shift+ArrowUp"] },
    isOfWriting: true,
    isEnabled: ({ rows }, { ids: [id] }) => id !== undefined && id !== rows.zoom.get(),
    run: (workspace) => extend(workspace, "up"),
  },
  {
    id: "select.down",
    label: "Select the line, then the one below",
    group: "select",
    keys: { mac: ["Shift+ArrowDown"], others: ["Shift+ArrowDown"] },
    isOfWriting: true,
    isEnabled: ({ rows }, { ids: [id] }) => id !== undefined && id !== rows.zoom.get(),
    run: (workspace) => extend(workspace, "down"),
  },
  {
    id: "select.all",
    label: "Select the text, then the line, then everything",
    group: "select",
    keys: { mac: ["Mod+A"], others: ["Mod+A"] },
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace) => climb(workspace),
  },
  {
    id: "select.none",
    label: "Back to the text",
    group: "select",
    keys: { mac: ["Escape"], others: ["Escape"] },
    isOfWriting: true,
    isEnabled: ({ focus }) => focus.state.get()?.kind === "nodes",
    run({ focus }) {
      const state = focus.state.get();
      if (state?.kind === "nodes") focus.caret(state.head, "end");
    },
  },
];

function extend(workspace: Workspace, way: "up" | "down"): void {
  const { focus } = workspace;
  const state = focus.state.get();
  if (state?.kind === "text") focus.selectNodes([state.id], state.id, state.id);
  else if (state !== undefined) extendNodes(workspace, state, way);
}

/** The moving end goes to the next sibling; past the last one the parent is selected. */
function extendNodes(
  { rows, focus, notices }: Workspace,
  state: NodeFocus,
  way: "up" | "down",
): void {
  const all = rows.rows.get();
  const index = rows.indexOf(state.head);
  if (index < 0) return;
  const next = way === "up" ? siblingBefore(all, index) : siblingAfter(all, index);
  if (next !== undefined) {
    const ids = selectedBetween(all, rows.indexOf(state.anchor), rows.indexOf(next.id));
    focus.selectNodes(ids, state.anchor, next.id);
    notices.announce(`${ids.length} selected`);
    return;
  }
  const parent = all[parentIndex(all, index) ?? -1]?.id;
  if (parent !== undefined) focus.selectNodes([parent], parent, parent);
}

/** Selects more with every call: the text, the line, all that is looked at. */
function climb(workspace: Workspace): void {
  const { replica, rows, focus, notices } = workspace;
  const state = focus.state.get();
  if (state?.kind === "text") {
    const { id, part, anchor, head } = state;
    const length = replica.edits.text(keyOf(id), part)?.length ?? 0;
    if (Math.abs(anchor - head) < length) return focus.selectText(id, part, 0, length);
    if (id !== rows.zoom.get()) return focus.selectNodes([id], id, id);
  }
  const top = topLevel(workspace);
  const [first] = top;
  const last = top.at(-1);
  if (first === undefined || last === undefined) return;
  focus.selectNodes(top, first, last);
  notices.announce(`${top.length} selected`);
}

function topLevel({ rows }: Workspace): readonly RowId[] {
  return rows.rows
    .get()
    .filter(({ depth }) => depth === 0)
    .map(({ id }) => id);
}
