import type { NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { starredNodes } from "../search/saved-searches.ts";
import { shortcutProblem } from "../../../src/core/reference.ts";
import { plainNameOf } from "../page/node-names.ts";

const LONGEST = 40;

/** The shortcut under which a node is starred; undefined when it is not. */
export function starOf(outline: OutlineView, key: NodeKey): string | undefined {
  return starredNodes(outline).find(({ node }) => node === key)?.key;
}

/** What a star of that name leads to; undefined for none. A shortcut is one whatever its case is. */
export function lineStarredAs(outline: OutlineView, name: string): NodeKey | undefined {
  const folded = name.trim().toLowerCase();
  return starredNodes(outline).find(({ key }) => key.toLowerCase() === folded)?.node;
}

/** A free shortcut made of a node's name: what a star is called unless the person says otherwise. */
export function suggestedStar(outline: OutlineView, key: NodeKey): string {
  const words =
    plainNameOf(outline, key)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const base = words.join("-").slice(0, LONGEST).replace(/-$/, "");
  for (let number = 1; ; number += 1) {
    const name = number === 1 && base !== "" ? base : `${base === "" ? "star" : base}-${number}`;
    const isTaken = outline.shortcuts().some((each) => each.key.toLowerCase() === name);
    if (!isTaken && shortcutProblem(name) === undefined) return name;
  }
}
