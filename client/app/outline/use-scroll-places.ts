import { useLayoutEffect } from "preact/hooks";
import type { Workspace } from "../state/workspace.ts";

/** A zoom and a search begin at the top; going back to one goes to where it was left. */
export function useScrollPlaces({ rows }: Workspace): void {
  useLayoutEffect(() => {
    const places = new Map<string, number>();
    let shown = rows.address.get();
    let isBack = false;
    history.scrollRestoration = "manual";
    const mark = (): void => {
      isBack = true;
      // Whoever listens to the same event has moved by then.
      setTimeout(() => {
        isBack = false;
      });
    };
    window.addEventListener("popstate", mark, { capture: true });
    const stop = rows.address.subscribe(() => {
      places.set(shown, window.scrollY);
      shown = rows.address.get();
      // At once, so that the caret can be scrolled to behind it.
      window.scrollTo({ top: 0, behavior: "instant" });
      const place = isBack ? (places.get(shown) ?? 0) : 0;
      if (place > 0) requestAnimationFrame(() => window.scrollTo(0, place));
    });
    return () => {
      window.removeEventListener("popstate", mark, { capture: true });
      stop();
    };
  }, [rows]);
}
