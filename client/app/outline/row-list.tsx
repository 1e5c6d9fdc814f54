import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useSelected, useSource } from "../state/use-source.ts";
import { useBranch } from "./focus/focus-mode.ts";
import { OutlineRow } from "./outline-row.tsx";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import { siblingPlaces } from "./rows/sibling-places.ts";
import { useRowWindow } from "./use-row-window.ts";

/** The rows that are in sight, each where its place is. */
export function RowList({ screen }: { readonly screen: OutlineScreen }) {
  const { workspace } = screen;
  const rows = useSource(workspace.rows.rows);
  const places = useMemo(() => siblingPlaces(workspace, rows), [workspace, rows]);
  const list = useRef<HTMLDivElement>(null);
  const shown = useRowWindow(screen, list, rows);
  const head = useSelected(workspace.focus.state, (state) =>
    state?.kind === "nodes" ? state.head : undefined,
  );
  const branch = useBranch(workspace, rows);
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
            isDim={branch !== undefined && (index < branch.from || index >= branch.to)}
            {...places(index)}
            start={Math.round(shown.places.topOf(index))}
          />
        );
      })}
    </div>
  );
}
