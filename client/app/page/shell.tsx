import { useRef, useState } from "preact/hooks";
import { ROOT } from "../../../src/core/node-key.ts";
import { Outliner } from "../outline/outliner.tsx";
import { SearchBox } from "../search/search-box.tsx";
import { useMedia } from "../state/use-media.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { Icon } from "./icon.tsx";
import type { NoticeBoard } from "./notice-board.ts";
import { NoticesView } from "./notices-view.tsx";
import { latePart } from "./part-missing.ts";
import type { RecentNodes } from "./recent-nodes.ts";
import { StatusLine } from "./status-line.tsx";

/** From here on the sidebar stands beside the outline; below, it lies over it. */
const WIDE = "(min-width: 60rem)";

const DialogHost = latePart(async () => (await import("../dialogs/dialog-host.tsx")).DialogHost);
const Trouble = latePart(async () => (await import("./trouble.tsx")).Trouble);
const PageMenu = latePart(async () => (await import("./page-menu.tsx")).PageMenu);
const Sidebar = latePart(async () => (await import("../sidebar/sidebar.tsx")).Sidebar);

/** The frame around the outline. */
export function Shell({
  workspace,
  recent,
  notices,
  signOut,
}: {
  readonly workspace: Workspace;
  readonly recent: RecentNodes;
  readonly notices: NoticeBoard;
  readonly signOut: () => Promise<void>;
}) {
  // A zoomed node is a heading itself.
  const isHome = useSource(workspace.rows.zoom) === ROOT;
  const isWide = useMedia(WIDE);
  const { showsPlaces } = workspace.preferences;
  const isBeside = useSource(showsPlaces);
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const hasSidebar = isWide ? isBeside : isDrawerOpen;
  const isOver = isDrawerOpen && !isWide;
  const toggleButton = useRef<HTMLButtonElement>(null);
  const closeDrawer = (): void => {
    if (isOver) toggleButton.current?.focus();
    setIsDrawerOpen(false);
  };
  const toggle = (): void => {
    if (isWide) showsPlaces.set(!isBeside);
    else setIsDrawerOpen(!isDrawerOpen);
  };

  return (
    <div class="shell" data-sidebar={hasSidebar}>
      <header class="page-head">
        <button
          type="button"
          ref={toggleButton}
          class="icon-button"
          aria-label="Places"
          aria-expanded={hasSidebar}
          aria-controls="sidebar"
          onClick={toggle}
        >
          <Icon name="menu" />
        </button>
        <a class="icon-button" href="#/" aria-label="Home">
          <Icon name="home" />
        </a>
        <SearchBox workspace={workspace} />
        <StatusLine replica={workspace.replica} />
        <div class="page-menu">
          <PageMenu workspace={workspace} />
        </div>
      </header>
      <Trouble workspace={workspace} />
      <div class="page-body">
        {hasSidebar && (
          <>
            <div
              id="sidebar"
              class="sidebar-frame"
              onKeyDown={(event) => {
                if (event.key !== "Escape" || !isOver) return;
                event.stopPropagation();
                closeDrawer();
              }}
            >
              <Sidebar
                workspace={workspace}
                recent={recent}
                takesFocus={isOver}
                onLeave={closeDrawer}
              />
            </div>
            <div class="scrim" onClick={closeDrawer} />
          </>
        )}
        <main class="page-main">
          {isHome && <h1 class="visually-hidden">Outline</h1>}
          <Outliner workspace={workspace} />
        </main>
      </div>
      <NoticesView board={notices} />
      <DialogHost workspace={workspace} recent={recent} signOut={signOut} />
    </div>
  );
}
