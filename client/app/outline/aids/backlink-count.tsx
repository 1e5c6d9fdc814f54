import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { LinkIndex } from "../../../../src/core/search/link-index.ts";
import type { Command } from "../../commands/command.ts";
import { countOf } from "../../page/status-words.ts";
import { useRead } from "../../state/use-read.ts";
import type { Workspace } from "../../state/workspace.ts";
import "./backlinks.css";
import { hashOfKey } from "../rows/hash-place.ts";

/** Beyond that nobody counts. */
const MOST_COUNTED = 99;

/** Where the lines are shown that link to a line: a search, which has an address and a way back. */
export function hashOfBacklinks(target: NodeKey): string {
  return hashOfKey(ROOT, `backlinks:${target}`);
}

/** How many lines link to a line, beside it; nothing where none does. A click shows them. */
export function BacklinkCount({
  workspace: { replica },
  target,
}: {
  readonly workspace: Workspace;
  readonly target: NodeKey;
}) {
  const links = LinkIndex.of(replica.outline);
  const count = useRead(
    () => (links.isBuilt ? links.countOf(target, MOST_COUNTED + 1) : 0),
    (look) =>
      links.onChange(({ targets, placed }) => {
        if (targets.has(target) || (placed.size > 0 && links.isLinked(target))) look();
      }),
    [links, target],
  );
  if (count === 0) return null;
  const shown = count > MOST_COUNTED ? `${MOST_COUNTED}+` : String(count);
  const words = count === 1 ? "1 line links here" : `${shown} lines link here`;
  return (
    <a
      class="backlink-count"
      data-part="backlinks"
      href={hashOfBacklinks(target)}
      tabIndex={-1}
      draggable={false}
      aria-label={words}
      title={words}
    >
      {shown}
    </a>
  );
}

/** The same for who has no mouse. */
export const SHOW_BACKLINKS: Command = {
  id: "node.backlinks",
  label: "Show what links here",
  group: "find",
  words: "backlinks references mentions",
  places: ["bullet"],
  isEnabled: ({ replica }, { keys: [key] }) =>
    key !== undefined && LinkIndex.of(replica.outline).countOf(key, 1) > 0,
  run({ notices, replica }, { keys: [key] }) {
    if (key === undefined) return;
    location.hash = hashOfBacklinks(key);
    notices.announce(countOf(LinkIndex.of(replica.outline).countOf(key), "line"));
  },
};
