import { useEffect } from "preact/hooks";
import { inOneGo } from "../../../../src/core/in-one-go.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { LinkIndex } from "../../../../src/core/search/link-index.ts";
import { pathOf, shortened, titleOf } from "../../page/node-names.ts";
import { useRenew } from "../../state/use-renew.ts";
import { useSource } from "../../state/use-source.ts";
import type { Workspace } from "../../state/workspace.ts";
import "./backlinks.css";
import { hashOfKey } from "../rows/hash-place.ts";

const MOST_SHOWN = 100;

/** What links to the line that is zoomed into, below what is in it. */
export function Backlinks({ workspace }: { readonly workspace: Workspace }) {
  const zoom = useSource(workspace.rows.zoom);
  const query = useSource(workspace.rows.query);
  return zoom === ROOT || query !== "" ? null : (
    <BacklinksOf key={zoom} workspace={workspace} target={zoom} />
  );
}

function BacklinksOf({
  workspace: { replica },
  target,
}: {
  readonly workspace: Workspace;
  readonly target: NodeKey;
}) {
  const renew = useRenew();
  const { outline } = replica;
  const links = LinkIndex.of(outline);
  useEffect(() => {
    const stop = links.onChange(({ targets, placed }) => {
      if (targets.has(target) || placed.size > 0) renew();
    });
    if (links.isBuilt) renew();
    return stop;
  }, [links, target, renew]);
  const sources = links.isBuilt && links.isLinked(target) ? inOneGo(links.backlinksOf(target)) : [];
  if (sources.length === 0) return null;
  return (
    <section class="backlinks" aria-labelledby="backlinks-title">
      <h2 id="backlinks-title">
        {sources.length === 1 ? "1 line links here" : `${sources.length} lines link here`}
      </h2>
      <ul role="list">
        {sources.slice(0, MOST_SHOWN).map((key) => (
          <li key={key}>
            <a href={hashOfKey(key)}>{shortened(titleOf(outline, key), 120)}</a>
            <small>{shortened(pathOf(outline, key).join(" › "), 80)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
