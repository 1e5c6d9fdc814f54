import { linkTextOfNode } from "../../../src/core/link-names.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { favouritesIn, NodeFinder } from "../dialogs/node-finder.ts";
import { pathOf, shortened, titleOf } from "../page/node-names.ts";
import { inSlices } from "../state/in-slices.ts";
import type { Workspace } from "../state/workspace.ts";
import type { SlashItem } from "./slash-items.ts";

/** What opens the list of lines to link to. */
export const LINK_MARK = "[[";
/** What ends a name that is typed as a whole. */
export const LINK_END = "]]";

const MOST_LINES = 8;

/** Finds the lines that a link may lead to, while its menu is open. */
export class LineFinder {
  readonly #workspace: Workspace;
  readonly #finder: NodeFinder;
  readonly #stop: () => void;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    const { outline } = workspace.replica;
    this.#finder = new NodeFinder(outline, favouritesIn(outline));
    const names = this.#finder.read();
    // A small outline is read before the first letter is looked for.
    names.next();
    this.#stop = inSlices(names);
  }

  close(): void {
    this.#stop();
  }

  /** @param from the line that is written, which is not offered */
  items(query: string, from: NodeKey): readonly SlashItem[] {
    const { outline } = this.#workspace.replica;
    const isOther = (key: NodeKey): boolean => key !== from && key !== ROOT;
    return this.#finder.find(query, MOST_LINES, isOther).map((key) => ({
      kind: "line",
      id: `line ${key}`,
      label: shortened(titleOf(outline, key), 60),
      hint: shortened(pathOf(outline, key).join(" › "), 40) || undefined,
      key,
    }));
  }
}

/** What a link to a line says: the name of the line. */
export function linkNameOf(outline: OutlineView, key: NodeKey): string {
  return linkTextOfNode(outline, key) || titleOf(outline, key);
}
