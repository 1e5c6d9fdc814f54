import { useEffect, useRef } from "preact/hooks";
import { CALENDAR, INBOX, type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { hashOfKey } from "../outline/rows/hash-place.ts";
import { useSource } from "../state/use-source.ts";
import { isTouch } from "../state/is-touch.ts";
import type { Workspace } from "../state/workspace.ts";
import { Icon, type IconName } from "../page/icon.tsx";
import { searchInWords, shortened, titleOf } from "../page/node-names.ts";
import type { RecentNodes } from "../page/recent-nodes.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import { savedSearches, starredNodes } from "../search/saved-searches.ts";
import { TagsSection } from "./tags-section.tsx";
import { WeekSection } from "./week-section.tsx";
import "./sidebar.css";

const PLACES: ReadonlySet<NodeKey> = new Set([ROOT, INBOX, CALENDAR]);
const MOST_RECENT = 5;

interface Place {
  readonly key: NodeKey;
  readonly label: string;
  readonly icon: IconName;
}

/** The ways into the outline: its own places, the week, stars, where one was lately, and tags. */
export function Sidebar({
  workspace,
  recent,
  takesFocus,
  onLeave,
}: {
  readonly workspace: Workspace;
  readonly recent: RecentNodes;
  /** It lies over the outline. */
  readonly takesFocus: boolean;
  readonly onLeave: () => void;
}) {
  const { replica, rows, commands } = workspace;
  const { outline } = replica;
  const zoom = useSource(rows.zoom);
  const query = useSource(rows.query);
  const starKey = commands.keyLabel(commands.get("node.star"));
  const stars = starredNodes(outline);
  const searches = savedSearches(outline);
  const isAtSearch = searches.some((saved) => saved.query === query && saved.below === zoom);
  /** One place is where the person is: a saved search, or else the line that is looked into. */
  const here = isAtSearch ? undefined : zoom;
  const starred = new Set(stars.map(({ node }) => node));
  const searched = searches.map(({ below }) => below);
  const visited = useSource(recent.keys);
  const lately = visited
    .filter((key) => key !== zoom && !PLACES.has(key) && !starred.has(key) && outline.has(key))
    .slice(0, MOST_RECENT);
  /** What is there of what could be shown: what it is in may be deleted, or restored. */
  const standing = (): string => {
    const keys = [...starredNodes(outline).map(({ node }) => node), ...visited];
    return keys.filter((key) => outline.has(key)).join(" ");
  };
  const stood = standing();
  useOutlineMaps(replica, ["keys"], ({ nodes, placed }) => {
    const shown = [...PLACES, ...starred, ...searched, ...lately];
    return shown.some((key) => nodes.has(key)) || (placed.size > 0 && standing() !== stood);
  });
  const places: readonly Place[] = [
    { key: ROOT, label: "Home", icon: "home" },
    ...(outline.has(INBOX) ? [{ key: INBOX, label: "Inbox", icon: "inbox" } as const] : []),
    ...(outline.has(CALENDAR)
      ? [{ key: CALENDAR, label: "Calendar", icon: "calendar" } as const]
      : []),
  ];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) nav.current?.querySelector("a")?.focus();
  }, [takesFocus]);

  return (
    <nav ref={nav} class="sidebar" aria-label="Places">
      <ul role="list">
        {places.map(({ key, label, icon }) => (
          <PlaceLink key={key} to={key} zoom={here} icon={icon} onLeave={onLeave}>
            {label}
          </PlaceLink>
        ))}
        <li>
          <button
            type="button"
            class="place"
            onClick={() => {
              onLeave();
              commands.run("page.today");
            }}
          >
            <Icon name="today" />
            <span>Today</span>
          </button>
        </li>
      </ul>
      <WeekSection workspace={workspace} onLeave={onLeave} />
      <h2 class="sidebar-heading">Stars</h2>
      {stars.length + searches.length === 0 ? (
        <p class="sidebar-empty">
          {isTouch() ? (
            "Star what you come back to: hold the dot of a line, then Star."
          ) : (
            <>
              Star what you come back to: <kbd class="key">{starKey}</kbd>
            </>
          )}
        </p>
      ) : (
        <ul role="list">
          {stars.map(({ key: shortcut, node }) => (
            <PlaceLink key={shortcut} to={node} zoom={here} icon="star" onLeave={onLeave}>
              {shortened(titleOf(outline, node), 40)}
            </PlaceLink>
          ))}
          {searches.map(({ shortcut, query: words, below }) => (
            <PlaceLink
              key={shortcut}
              to={below}
              search={words}
              zoom={words === query ? zoom : undefined}
              icon="search"
              onLeave={onLeave}
            >
              {searchInWords(outline, words, below, 40)}
            </PlaceLink>
          ))}
        </ul>
      )}
      {lately.length > 0 && (
        <>
          <h2 class="sidebar-heading">Recent</h2>
          <ul role="list">
            {lately.map((key) => (
              <PlaceLink key={key} to={key} zoom={zoom} icon="recent" onLeave={onLeave}>
                {shortened(titleOf(outline, key), 40)}
              </PlaceLink>
            ))}
          </ul>
        </>
      )}
      <TagsSection workspace={workspace} onLeave={onLeave} />
    </nav>
  );
}

function PlaceLink(props: {
  readonly to: NodeKey;
  /** What is looked for below it. */
  readonly search?: string;
  /** Where the person is; undefined when that is another search. */
  readonly zoom: NodeKey | undefined;
  readonly icon: IconName;
  readonly onLeave: () => void;
  readonly children: string;
}) {
  const { to, search, zoom, icon, onLeave, children } = props;
  return (
    <li>
      <a
        class="place"
        href={hashOfKey(to, search)}
        aria-current={to === zoom ? "page" : undefined}
        onClick={onLeave}
      >
        <Icon name={icon} />
        <span>{children}</span>
      </a>
    </li>
  );
}
