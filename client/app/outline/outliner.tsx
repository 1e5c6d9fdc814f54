import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Workspace } from "../state/workspace.ts";
import { Awaited } from "./awaited.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { EmptyView } from "./empty-view.tsx";
import { Keyboard } from "./focus/keyboard.ts";
import { LABEL_IDS } from "./line-label.ts";
import { OutlineScreen } from "./focus/outline-screen.ts";
import "./outline.css";
import { RowList } from "./row-list.tsx";
import { useOutlineAids } from "./use-outline-aids.ts";
import { Title } from "./title.tsx";

/**
 * The outline as it is read and written: breadcrumbs, title, rows, and what helps with writing. The
 * window scrolls it; `scroll-margin` of what is in it is what the page's header covers.
 */
export function Outliner({ workspace }: { readonly workspace: Workspace }) {
  const root = useRef<HTMLDivElement>(null);
  const screen = useMemo(() => new OutlineScreen(workspace), [workspace]);
  const keyboard = useMemo(() => new Keyboard(screen), [screen]);
  const replaced = useReplaced(workspace);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    screen.root = element;
    const stop = keyboard.listen(document);
    return () => {
      stop();
      screen.root = null;
    };
  }, [screen, keyboard]);
  const aids = useOutlineAids(screen, root, keyboard);
  useEffect(() => () => screen.close(), [screen]);
  return (
    <div class="outliner" data-complete={aids !== undefined}>
      <Breadcrumbs workspace={workspace} />
      <span id={LABEL_IDS.name} hidden>
        Line
      </span>
      <span id={LABEL_IDS.note} hidden>
        Note
      </span>
      {/* Dragging over lines selects them; nothing in them is dragged by the browser. */}
      <div ref={root} class="page-of-rows" onDragStart={(event) => event.preventDefault()}>
        <Title key={`title ${replaced}`} screen={screen} />
        <div class="row-area">
          <RowList key={replaced} screen={screen} />
          {aids?.amongRows()}
        </div>
      </div>
      <EmptyView screen={screen} />
      <Awaited replica={workspace.replica} />
      {aids?.overPage()}
    </div>
  );
}

/** How often the outline has become another one: everything that shows it begins anew. */
function useReplaced({ replica }: Workspace): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => replica.onReplaced(() => setCount((before) => before + 1)), [replica]);
  return count;
}
