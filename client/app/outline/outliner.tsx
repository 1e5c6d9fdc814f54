import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { followClipboard } from "../clipboard/follow-clipboard.ts";
import { SlashMenu } from "../commands/slash-menu.tsx";
import { SlashState } from "../commands/slash-state.ts";
import { PhoneBar } from "../phone-bar.tsx";
import type { Workspace } from "../state/workspace.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { BulletMenu } from "./bullet-menu.tsx";
import { DropLine } from "./drop-line.tsx";
import { EmptyView } from "./empty-view.tsx";
import { Keyboard } from "./keyboard.ts";
import { OutlineScreen } from "./outline-screen.ts";
import "./outline.css";
import { Pointer } from "./pointer.ts";
import { RowList } from "./row-list.tsx";
import { useScrollPlaces } from "./use-scroll-places.ts";
import { Title } from "./title.tsx";

/**
 * The outline as it is read and written: breadcrumbs, title, rows, and what helps with writing. The
 * window scrolls it; `scroll-padding-top` of the page is what its header covers.
 */
export function Outliner({ workspace }: { readonly workspace: Workspace }) {
  const root = useRef<HTMLDivElement>(null);
  const screen = useMemo(() => new OutlineScreen(workspace), [workspace]);
  const slash = useMemo(() => new SlashState(workspace), [workspace]);
  const pointer = useMemo(() => new Pointer(screen), [screen]);
  const replaced = useReplaced(workspace);
  useScrollPlaces(workspace);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    screen.root = element;
    const keyboard = new Keyboard(screen, slash);
    const stops = [
      keyboard.listen(document),
      pointer.listen(element),
      slash.listen(element),
      followClipboard(screen, document, keyboard),
    ];
    return () => {
      for (const stop of stops) stop();
      screen.root = null;
    };
  }, [screen, slash, pointer]);
  useEffect(
    () => () => {
      screen.close();
      slash.close();
    },
    [screen, slash],
  );
  return (
    <div class="outliner">
      <Breadcrumbs workspace={workspace} />
      <div ref={root} class="page-of-rows">
        <Title key={`title ${replaced}`} screen={screen} />
        <div class="row-area">
          <RowList key={replaced} screen={screen} />
          <DropLine pointer={pointer} />
        </div>
      </div>
      <BulletMenu workspace={workspace} pointer={pointer} />
      <EmptyView screen={screen} />
      <SlashMenu slash={slash} />
      <PhoneBar workspace={workspace} />
    </div>
  );
}

/** How often the outline has become another one: everything that shows it begins anew. */
function useReplaced({ replica }: Workspace): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => replica.onReplaced(() => setCount((before) => before + 1)), [replica]);
  return count;
}
