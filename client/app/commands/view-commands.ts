import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { TreeRow } from "../../../src/core/tree/tree-row.ts";
import { keyOf, type RowId } from "../outline/rows/row-id.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { holdFocus } from "./outcome.ts";

export const VIEW_COMMANDS: readonly Command[] = [
  {
    id: "node.collapse",
    label: "Collapse",
    group: "look",
    words: "fold close",
    keys: ["Mod+ArrowUp"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => fold(workspace, ids, true),
  },
  {
    id: "node.expand",
    label: "Expand",
    group: "look",
    words: "unfold open",
    keys: ["Mod+ArrowDown"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, { ids }) => fold(workspace, ids, false),
  },
  {
    id: "view.collapseAll",
    label: "Collapse all",
    group: "look",
    words: "fold close everything",
    isEnabled: ({ rows }) => rows.rows.get().length > 0,
    run(workspace, { ids: [id] }) {
      const { rows, focus } = workspace;
      const top = id && topOf(workspace, rows.indexOf(id));
      rows.setCollapsed(parentsBelow(workspace), true);
      if (id !== undefined && top !== undefined && top !== id) focus.caret(top, "end");
      else holdFocus(workspace);
    },
  },
  {
    id: "view.expandAll",
    label: "Expand all",
    group: "look",
    words: "unfold open everything",
    isEnabled: ({ rows }) => rows.rows.get().length > 0,
    run(workspace) {
      workspace.rows.setCollapsed(parentsBelow(workspace), false);
      holdFocus(workspace);
    },
  },
  {
    id: "view.zoomIn",
    label: "Zoom in",
    group: "look",
    words: "focus open",
    keys: ["Alt+ArrowRight"],
    macKeys: ["Mod+."],
    places: ["bullet"],
    isEnabled: ({ rows }, { keys: [key] }) => key !== undefined && key !== rows.zoom.get(),
    run(workspace, { keys: [key] }) {
      if (key === undefined) return;
      workspace.rows.zoomTo(key);
      const zoom = workspace.rows.zoom.get();
      if (workspace.focus.state.get()?.kind === "text") holdFocus(workspace, () => zoom);
      else workspace.focus.caret(zoom, "end");
    },
  },
  {
    id: "view.zoomOut",
    label: "Zoom out",
    group: "look",
    words: "up parent back",
    keys: ["Alt+ArrowLeft"],
    macKeys: ["Mod+,"],
    isEnabled: ({ rows }) => rows.zoom.get() !== ROOT,
    run(workspace) {
      const { replica, rows, focus } = workspace;
      const left = rows.zoom.get();
      rows.zoomTo(replica.outline.tree.rowAt(left)?.parent?.key ?? ROOT);
      const state = focus.state.get();
      if (state?.kind === "text" && rows.indexOf(state.id) >= 0) holdFocus(workspace);
      else focus.caret(left, "end");
    },
  },
  {
    id: "view.home",
    label: "Home",
    group: "look",
    words: "top root",
    keys: ["Mod+'"],
    isEnabled: () => true,
    run(workspace) {
      const { rows, focus } = workspace;
      rows.zoomTo(ROOT);
      const first = rows.rows.get()[0];
      const state = focus.state.get();
      if (state?.kind === "text" && rows.indexOf(state.id) >= 0) holdFocus(workspace);
      else if (first !== undefined) focus.caret(first.key, "end");
    },
  },
  {
    id: "node.first",
    label: "First line",
    group: "look",
    words: "top start beginning",
    keys: ["Mod+Home"],
    edge: "up",
    isEnabled: ({ rows }) => rows.rows.get().length > 0,
    run: ({ rows, focus }) => focus.caret(rows.rows.get()[0]?.id ?? rows.zoom.get(), "start"),
  },
  {
    id: "node.last",
    label: "Last line",
    group: "look",
    words: "bottom end",
    keys: ["Mod+End"],
    edge: "down",
    isEnabled: ({ rows }) => rows.rows.get().length > 0,
    run: ({ rows, focus }) => focus.caret(rows.rows.get().at(-1)?.id ?? rows.zoom.get(), "end"),
  },
];

function fold(workspace: Workspace, ids: readonly RowId[], isCollapsed: boolean): void {
  const { replica, rows, notices } = workspace;
  const parents = ids.filter((id) => replica.outline.childCount(keyOf(id)) > 0);
  rows.setCollapsed(parents, isCollapsed);
  if (parents.length > 0) notices.announce(isCollapsed ? "Collapsed" : "Expanded");
}

/** Everything below the zoomed node that has something below it. */
function parentsBelow({ replica: { outline }, rows }: Workspace): readonly NodeKey[] {
  const { tree } = outline;
  // To look each node up takes far longer than to pass over it.
  const isParent = ({ key, children }: TreeRow): boolean =>
    tree.mirrors.size === 0 ? children.length > 0 : outline.childCount(key) > 0;
  const parents: NodeKey[] = [];
  const pending: TreeRow[] = [tree.rowAt(rows.zoom.get()) ?? tree.root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const child of node.children) {
      if (!isParent(child)) continue;
      parents.push(child.key);
      pending.push(child);
    }
  }
  return parents;
}

/** The row of the top level that a row is in. */
function topOf({ rows }: Workspace, index: number): RowId | undefined {
  const all = rows.rows.get();
  let at = index;
  while ((all[at]?.depth ?? 0) > 0) at--;
  return all[at]?.id;
}
