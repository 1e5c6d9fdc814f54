import { isWithin } from "../../../../src/core/tree/tree-row.ts";
import type { OutlineScreen } from "../focus/outline-screen.ts";

const MOTION = { duration: 200, easing: "cubic-bezier(0.2, 0, 0, 1)" } as const;

/**
 * Shows where a zoom leads: the line grows into the title, and a title shrinks back into its line. Those
 * who want less motion have none. Answers how to stop.
 */
export function moveWithZoom(screen: OutlineScreen): () => void {
  const { rows, replica } = screen.workspace;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = rows.zoom.get();
  return rows.zoom.subscribe(() => {
    const left = shown;
    shown = rows.zoom.get();
    const { tree } = replica.outline;
    const [from, to] = [tree.rowAt(left), tree.rowAt(shown)];
    if (calm.matches || from === undefined || to === undefined) return;
    const key = isWithin(to, from) ? shown : isWithin(from, to) ? left : undefined;
    const before = key && measureOf(screen.elementOf(key, "name"));
    if (key === undefined || before === undefined) return;
    // Rows and title are drawn by then.
    requestAnimationFrame(() => {
      const element = screen.elementOf(key, "name");
      const after = measureOf(element);
      if (element === undefined || after === undefined) return;
      const scale = before.size / after.size;
      const way = `translate(${before.left - after.left}px, ${before.top - after.top}px)`;
      element.animate(
        [
          { transform: `${way} scale(${scale})`, transformOrigin: "0 0" },
          { transform: "none", transformOrigin: "0 0" },
        ],
        MOTION,
      );
      screen.tree?.animate([{ opacity: 0 }, { opacity: 1 }], MOTION);
    });
  });
}

function measureOf(
  element: HTMLElement | undefined,
): { readonly left: number; readonly top: number; readonly size: number } | undefined {
  if (element === undefined) return undefined;
  const { left, top } = element.getBoundingClientRect();
  const isInSight = top > -innerHeight && top < 2 * innerHeight;
  return isInSight
    ? { left, top, size: parseFloat(getComputedStyle(element).fontSize) }
    : undefined;
}
