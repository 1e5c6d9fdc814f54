import { followName, linkTextOfNode, MOST_FOLLOWING } from "../../core/link-names.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node/node-patch.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

/**
 * Updates a node, and gives a new name to the links to it and to its mirrors that are called by the old
 * one, where the key reaches them (I32); with a rest after each step that takes long.
 */
export function* updateWithLinks(
  view: ScopedOutline,
  links: LinkIndex,
  key: NodeKey,
  patch: NodePatch,
): Generator<void, Done | Refusal> {
  const { outline } = view;
  if (patch.name === undefined) return yield* outline.updateInSteps(key, patch);
  yield* links.build();
  const found = [...linksTo(view, links, key)];
  const earlier = new Set([linkTextOfNode(outline, key)]);
  const updated = yield* outline.updateInSteps(key, patch);
  if (updated.kind !== "ok") return updated;
  let left = MOST_FOLLOWING;
  for (const { target, sources } of found)
    left = followName(outline, target, earlier, sources, left);
  return updated;
}

/** The nodes that link to a node or to one of its mirrors: so many, and of those what the key reaches. */
function* linksTo(
  view: ScopedOutline,
  links: LinkIndex,
  key: NodeKey,
): Generator<{ readonly target: NodeKey; readonly sources: readonly NodeKey[] }> {
  let left = MOST_FOLLOWING;
  const mirrors = [...view.outline.tree.mirrors.of(key)].map((row) => row.key);
  for (const target of [key, ...mirrors]) {
    if (left === 0 || !links.isLinked(target)) continue;
    const sources = [...links.sourcesOf(target)].slice(0, left);
    left -= sources.length;
    yield { target, sources: sources.filter((source) => view.reaches(source)) };
  }
}
