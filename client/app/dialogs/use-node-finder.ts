import { useLayoutEffect, useState } from "preact/hooks";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Replica } from "../../lib/replica.ts";
import { pathOf, shortened, titleOf } from "../page/node-names.ts";
import type { RecentNodes } from "../page/recent-nodes.ts";
import { inSlices } from "../state/in-slices.ts";
import type { Found } from "./finder.tsx";
import { favouritesIn, NodeFinder } from "./node-finder.ts";

const MOST_FOUND = 40;

export interface NodeSearch {
  /** Grows while names are read: the same query may find more. */
  readonly version: number;
  readonly find: (query: string) => readonly Found[];
}

/**
 * Finds nodes of the replica by name, stars and recently visited ones first. The names are read in
 * slices, between which the person can type.
 * @param first come before everything else while nothing is typed
 */
export function useNodeFinder(
  replica: Replica,
  recent: RecentNodes,
  options: {
    readonly first: readonly NodeKey[];
    readonly accepts?: (key: NodeKey) => boolean;
  },
): NodeSearch {
  const { outline } = replica;
  const [finder] = useState(() => {
    const { first } = options;
    return new NodeFinder(outline, favouritesIn(outline, { first, visited: recent.keys.get() }));
  });
  const [version, setVersion] = useState(0);

  // At once: who types quickly presses Enter before an effect behind the drawing runs.
  useLayoutEffect(() => {
    const names = finder.read();
    // A small outline is read before it is drawn.
    const isRead = names.next().done === true;
    const tell = (): void => setVersion((before) => before + 1);
    if (isRead) return tell();
    return inSlices(names, tell);
  }, [finder]);

  return {
    version,
    find: (query) =>
      finder.find(query, MOST_FOUND, options.accepts).map((key) => ({
        id: key,
        title: shortened(titleOf(outline, key), 100),
        detail: pathOf(outline, key)
          .map((title) => shortened(title, 28))
          .join(" › "),
      })),
  };
}
