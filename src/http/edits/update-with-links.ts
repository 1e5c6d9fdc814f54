import { followName, linkTextOfNode, MOST_FOLLOWING } from "../../core/link-names.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node/node-patch.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

/** Nodes for each of which it is looked upwards, between two yields. */
const GLANCE = 64;

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
  const found = yield* linksTo(view, links, key);
  const earlier = new Set([linkTextOfNode(outline, key)]);
  const updated = yield* outline.updateInSteps(key, patch);
  if (updated.kind !== "ok") return updated;
  let left = MOST_FOLLOWING;
  for (const { target, sources } of found)
    left = followName(outline, target, earlier, sources, left);
  return updated;
}

interface Linked {
  readonly target: NodeKey;
  readonly sources: readonly NodeKey[];
}

/**
 * The nodes that link to a node or to one of its mirrors: the first so many of those that the key reaches.
 * Those that it does not reach don't count, or it would learn how many there are.
 */
function* linksTo(
  view: ScopedOutline,
  links: LinkIndex,
  key: NodeKey,
): Generator<void, readonly Linked[]> {
  const found: Linked[] = [];
  let left = MOST_FOLLOWING;
  let looked = 0;
  const mirrors = [...view.outline.tree.mirrors.of(key)].map((row) => row.key);
  for (const target of [key, ...mirrors]) {
    const sources: NodeKey[] = [];
    for (const source of links.sourcesOf(target)) {
      if (left === 0) break;
      if (++looked % GLANCE === 0) yield;
      if (!view.reaches(source)) continue;
      sources.push(source);
      left -= 1;
    }
    if (sources.length > 0) found.push({ target, sources });
  }
  return found;
}
