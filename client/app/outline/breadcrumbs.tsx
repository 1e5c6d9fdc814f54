import { useEffect, useState } from "preact/hooks";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { titleOf } from "../page/node-names.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { useRenew } from "../state/use-renew.ts";
import { hashOfKey } from "./rows/hash-place.ts";

/** Of a longer path the first and the last few are shown, and the others when they are asked for. */
const MOST_SHOWN = 6;
const LAST_SHOWN = 3;

/** What the zoomed node is in, from home down. */
export function Breadcrumbs({ workspace }: { readonly workspace: Workspace }) {
  const zoom = useSource(workspace.rows.zoom);
  const above = useAbove(workspace, zoom);
  const [shownFor, setShownFor] = useState<NodeKey>();
  const isShort = above.length > MOST_SHOWN && shownFor !== zoom;
  const start = isShort ? above.slice(0, 1) : above;
  const end = isShort ? above.slice(-LAST_SHOWN) : [];
  const left = above.length - start.length - end.length;
  const crumb = (key: NodeKey) => (
    <li key={key}>
      <a href={hashOfKey(key)}>{titleOf(workspace.replica.outline, key)}</a>
    </li>
  );
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      {zoom !== ROOT && (
        <ol>
          <li>
            <a href={hashOfKey(ROOT)}>Home</a>
          </li>
          {start.map(crumb)}
          {left > 0 && isShort && (
            <li>
              <button
                type="button"
                class="more-crumbs"
                aria-label={`Show ${left} more`}
                onClick={() => setShownFor(zoom)}
              >
                …
              </button>
            </li>
          )}
          {end.map(crumb)}
        </ol>
      )}
    </nav>
  );
}

/** The nodes above the zoomed one, renewed when one of them is written or the zoomed one moves. */
function useAbove(workspace: Workspace, zoom: NodeKey): readonly NodeKey[] {
  const renew = useRenew();
  const above = nodesAbove(workspace, zoom);
  const watched = [...above, zoom].join(" ");
  useEffect(() => {
    const stops = watched
      .split(" ")
      .map((key) => workspace.nodes.watch(key as NodeKey, () => renew()));
    return () => {
      for (const stop of stops) stop();
    };
  }, [workspace, watched]);
  return above;
}

function nodesAbove({ replica }: Workspace, zoom: NodeKey): readonly NodeKey[] {
  const above: NodeKey[] = [];
  let node = replica.outline.tree.rowAt(zoom)?.parent;
  for (; node?.parent !== undefined; node = node.parent) above.unshift(node.key);
  return above;
}
