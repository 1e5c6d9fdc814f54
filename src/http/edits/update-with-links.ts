import { followName, linkTextOfNode, MOST_FOLLOWING } from "../../core/link-names.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node-patch.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

/**
 * Updates a node, and gives a new name to the links that are called by the old one, where the key reaches
 * them (I32); with a rest after each step that takes long.
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
  const sources = [...links.sourcesOf(key)]
    .slice(0, MOST_FOLLOWING)
    .filter((source) => view.reaches(source));
  const earlier = new Set([linkTextOfNode(outline, key)]);
  const updated = yield* outline.updateInSteps(key, patch);
  if (updated.kind === "ok") followName(outline, key, earlier, sources);
  return updated;
}
