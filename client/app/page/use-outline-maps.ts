import { useEffect, useRef } from "preact/hooks";
import type { Outline } from "../../../src/core/outline.ts";
import type { OutlineChange } from "../../../src/core/outline-view.ts";
import type { Replica } from "../../lib/replica.ts";
import { followOutline } from "../state/follow-outline.ts";
import { useRenew } from "../state/use-renew.ts";

/** The maps of the document that hold no nodes: shortcuts and settings. */
type MapName = "keys" | "meta";

/**
 * Renders the component anew when one of the document's maps changes, and when nodes change in a way
 * that concerns it.
 */
export function useOutlineMaps(
  replica: Replica,
  names: readonly MapName[],
  concerns: (change: OutlineChange) => boolean = () => false,
): void {
  const renew = useRenew();
  const latest = useRef(concerns);
  latest.current = concerns;
  useEffect(() => {
    const follow = (outline: Outline): (() => void) => {
      const maps = names.map((name) => outline.doc.getMap(name));
      for (const map of maps) map.observe(renew);
      const stopNodes = outline.onChange((change) => {
        if (latest.current(change)) renew();
      });
      return () => {
        for (const map of maps) map.unobserve(renew);
        stopNodes();
      };
    };
    // Something may have come between the rendering and now.
    renew();
    return followOutline(replica, follow, renew);
    // Names do not change.
  }, [replica]);
}
