import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { rankIn } from "../../../src/core/tree-row.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { OutlineRow } from "./outline-row.tsx";
import type { Row } from "./outline-rows.ts";
import type { OutlineScreen } from "./outline-screen.ts";
import { useSelected } from "./use-selected.ts";
import { useVirtualRows } from "./use-virtual-rows.ts";

/** The rows that are in sight, each where its place is. */
export function RowList({ screen }: { readonly screen: OutlineScreen }) {
  const { workspace } = screen;
  const rows = useSource(workspace.rows.rows);
  const list = useRef<HTMLDivElement>(null);
  const top = useTop(list);
  const virtualizer = useVirtualRows(screen, rows, top);
  const head = useSelected(workspace.focus.state, (state) =>
    state?.kind === "nodes" ? state.head : undefined,
  );
  useLayoutEffect(() => {
    screen.tree = list.current;
  }, [screen]);
  const measure = useCallback(
    (element: HTMLElement | null) => virtualizer.measureElement(element),
    [virtualizer],
  );
  return (
    <div
      ref={list}
      class="rows"
      role="tree"
      aria-label="Outline"
      aria-multiselectable="true"
      aria-activedescendant={head === undefined ? undefined : `row-${head}`}
      tabIndex={-1}
      style={{ height: `${virtualizer.getTotalSize()}px` }}
    >
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <OutlineRow
            key={row.key}
            screen={screen}
            nodeKey={row.key}
            index={index}
            depth={row.depth}
            hasChildren={row.hasChildren}
            isExpanded={row.isExpanded}
            isContext={row.isContext}
            {...placeAmongSiblings(workspace, row)}
            start={start - top}
            measure={measure}
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

/** How far from the top of the page the list begins; what is above it may grow. */
function useTop(list: { readonly current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    const head = element?.parentElement;
    if (element === null || head === null || head === undefined) return undefined;
    const measure = (): void => {
      setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (let before = element.previousElementSibling; before !== null;) {
      observer.observe(before);
      before = before.previousElementSibling;
    }
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
