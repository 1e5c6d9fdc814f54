import type { OutlineScreen } from "./outline-screen.ts";
import type { Row } from "./outline-rows.ts";
import { endOfBlock } from "./visible-row.ts";

/**
 * Dims every line but those of the branch that the caret is in, while the person has asked for that.
 * Answers how to stop.
 */
export function dimOthers(screen: OutlineScreen): () => void {
  const { rows, focus, preferences } = screen.workspace;
  const { dimsOthers } = preferences;
  let isAsked = false;
  const dim = (): void => {
    isAsked = false;
    const branch = dimsOthers.get() ? branchOf(rows.rows.get(), caretIndex()) : undefined;
    for (const row of screen.tree?.querySelectorAll<HTMLElement>("[data-index]") ?? []) {
      const index = Number(row.dataset["index"]);
      const isOutside = branch !== undefined && (index < branch.from || index >= branch.to);
      row.toggleAttribute("data-dim", isOutside);
    }
  };
  const later = (): void => {
    if (isAsked || !(dimsOthers.get() || screen.tree?.querySelector("[data-dim]"))) return;
    isAsked = true;
    requestAnimationFrame(dim);
  };
  const caretIndex = (): number => {
    const state = focus.state.get();
    return state === undefined ? -1 : rows.indexOf(state.kind === "text" ? state.id : state.head);
  };
  // Rows that are scrolled into sight come without it.
  const watch = new MutationObserver(later);
  if (screen.root !== null) watch.observe(screen.root, { childList: true, subtree: true });
  const stops = [
    focus.state.subscribe(later),
    rows.rows.subscribe(later),
    dimsOthers.subscribe(later),
  ];
  later();
  return () => {
    watch.disconnect();
    for (const stop of stops) stop();
  };
}

/** The rows of what is at the top level of the view and has the row at an index in it. */
function branchOf(
  rows: readonly Row[],
  index: number,
): { readonly from: number; readonly to: number } | undefined {
  if (index < 0) return undefined;
  let from = index;
  // The line with what is below it, and with its siblings: what is worked on.
  const depth = Math.max(0, (rows[index]?.depth ?? 0) - 1);
  while (from > 0 && (rows[from]?.depth ?? 0) > depth) from--;
  return { from, to: endOfBlock(rows, from) };
}
