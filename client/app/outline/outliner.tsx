import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { followClipboard } from "../clipboard/follow-clipboard.ts";
import { SlashMenu } from "../commands/slash-menu.tsx";
import { SlashState } from "../commands/slash-state.ts";
import { PhoneBar } from "../phone-bar.tsx";
import type { Workspace } from "../state/workspace.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
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
      followClipboard(screen, element, keyboard),
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
        <Title screen={screen} />
        <div class="row-area">
          <RowList screen={screen} />
          <DropLine pointer={pointer} />
        </div>
      </div>
      <EmptyView workspace={workspace} />
      <SlashMenu slash={slash} />
      <PhoneBar workspace={workspace} />
    </div>
  );
}
