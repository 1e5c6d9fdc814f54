import { useLayoutEffect, useRef } from "preact/hooks";
import { rankIn } from "../../../src/core/tree-row.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { OutlineRow } from "./outline-row.tsx";
import type { Row } from "./outline-rows.ts";
import type { OutlineScreen } from "./outline-screen.ts";
import { useRowWindow } from "./use-row-window.ts";
import { useSelected } from "./use-selected.ts";

/** The rows that are in sight, each where its place is. */
export function RowList({ screen }: { readonly screen: OutlineScreen }) {
  const { workspace } = screen;
  const rows = useSource(workspace.rows.rows);
  const list = useRef<HTMLDivElement>(null);
  const shown = useRowWindow(screen, list, rows);
  const head = useSelected(workspace.focus.state, (state) =>
    state?.kind === "nodes" ? state.head : undefined,
  );
  useLayoutEffect(() => {
    screen.tree = list.current;
  }, [screen]);
  return (
    <div
      ref={list}
      class="rows"
      role="tree"
      aria-label="Outline"
      aria-multiselectable="true"
      aria-activedescendant={head === undefined ? undefined : `row-${head}`}
      tabIndex={-1}
      style={{ height: `${shown.places.height}px` }}
    >
      {shown.indices().map((index) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <OutlineRow
            key={row.id}
            screen={screen}
            id={row.id}
            index={index}
            depth={row.depth}
            hasChildren={row.hasChildren}
            isExpanded={row.isExpanded}
            isContext={row.isContext}
            {...placeAmongSiblings(workspace, row)}
            start={Math.round(shown.places.topOf(index))}
          />
        );
      })}
    </div>
  );
}

function placeAmongSiblings(
  { replica }: Workspace,
  { key }: Row,
): { readonly position: number; readonly siblings: number } {
  const node = replica.outline.tree.rowAt(key);
  const siblings = node?.parent?.children;
  if (node === undefined || siblings === undefined) return { position: 1, siblings: 1 };
  return { position: rankIn(siblings, node) + 1, siblings: siblings.length };
}
