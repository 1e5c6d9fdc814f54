import { CALENDAR, INBOX, type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { hashOfKey } from "../outline/hash-place.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { Icon, type IconName } from "./icon.tsx";
import { shortened, titleOf } from "./node-names.ts";
import { useOutlineMaps } from "./use-outline-maps.ts";

interface Place {
  readonly key: NodeKey;
  readonly label: string;
  readonly icon: IconName;
}

/** The ways into the outline: home, the places every outline has, and the person's stars. */
export function Sidebar({
  workspace,
  onLeave,
}: {
  readonly workspace: Workspace;
  readonly onLeave: () => void;
}) {
  const { replica, rows, commands } = workspace;
  useOutlineMaps(replica, ["keys"], ({ nodes }) => {
    const shown = [INBOX, CALENDAR, ...replica.outline.shortcuts().map(({ node }) => node)];
    return shown.some((key) => nodes.has(key));
  });
  const zoom = useSource(rows.zoom);
  const { outline } = replica;
  const places: readonly Place[] = [
    { key: ROOT, label: "Home", icon: "home" },
    ...(outline.has(INBOX) ? [{ key: INBOX, label: "Inbox", icon: "inbox" } as const] : []),
    ...(outline.has(CALENDAR)
      ? [{ key: CALENDAR, label: "Calendar", icon: "today" } as const]
      : []),
  ];
  const stars = outline.shortcuts();

  return (
    <nav class="sidebar" aria-label="Places">
      <ul role="list">
        {places.map(({ key, label, icon }) => (
          <PlaceLink key={key} to={key} zoom={zoom} icon={icon} onLeave={onLeave}>
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
      <h2 class="sidebar-heading">Stars</h2>
      {stars.length === 0 ? (
        <p class="sidebar-empty">
          Star what you come back to: put the caret into a node, or zoom into it, and press{" "}
          <kbd class="key">{keyOf(workspace, "node.star")}</kbd>
        </p>
      ) : (
        <ul role="list">
          {stars.map(({ key: shortcut, node }) => (
            <PlaceLink key={shortcut} to={node} zoom={zoom} icon="star" onLeave={onLeave}>
              {shortened(titleOf(outline, node), 40)}
            </PlaceLink>
          ))}
        </ul>
      )}
    </nav>
  );
}

function PlaceLink(props: {
  readonly to: NodeKey;
  readonly zoom: NodeKey;
  readonly icon: IconName;
  readonly onLeave: () => void;
  readonly children: string;
}) {
  const { to, zoom, icon, onLeave, children } = props;
  return (
    <li>
      <a
        class="place"
        href={hashOfKey(to)}
        aria-current={to === zoom ? "page" : undefined}
        onClick={onLeave}
      >
        <Icon name={icon} />
        <span>{children}</span>
      </a>
    </li>
  );
}

function keyOf({ commands }: Workspace, id: string): string | undefined {
  const command = commands.get(id);
  return command === undefined ? undefined : commands.keyLabel(command);
}
