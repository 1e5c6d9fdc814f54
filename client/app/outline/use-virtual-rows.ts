import {
  defaultRangeExtractor,
  measureElement,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { useRenew } from "../state/use-renew.ts";
import type { OutlineScreen } from "./outline-screen.ts";
import type { Row } from "./outline-rows.ts";

export type RowVirtualizer = Virtualizer<Window, HTMLElement>;

/** The height of a line before it is measured. */
const USUAL_HEIGHT = 34;
/** Rows beyond both edges of the window. */
const OVERSCAN = 8;
/** Kept free above a row that is scrolled to: the page has a header there. */
const EDGE = 72;

/** Decides which rows are drawn and where; the window scrolls. Renders anew when that changes. */
export function useVirtualRows(
  screen: OutlineScreen,
  rows: readonly Row[],
  top: number,
): RowVirtualizer {
  const renew = useRenew();
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const options = {
    count: rows.length,
    getScrollElement: () => window,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: EDGE,
    scrollPaddingEnd: EDGE,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: () => scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    measureElement,
    rangeExtractor: (range: Range) => withFocused(screen, range),
    onChange: () => renew(),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  screen.scrollToRow = (index) => virtualizer.scrollToIndex(index, { align: "auto" });
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    screen.keepFocus();
  });
  return virtualizer;
}

/** The row with the caret stays in the page wherever it is scrolled to, or keys had nobody to go to. */
function withFocused({ workspace }: OutlineScreen, range: Range): number[] {
  const shown = defaultRangeExtractor(range);
  const state = workspace.focus.state.get();
  const index = state?.kind === "text" ? workspace.rows.indexOf(state.key) : -1;
  const [first = 0] = shown;
  const last = shown.at(-1) ?? -1;
  if (index < 0 || index >= range.count || (index >= first && index <= last)) return shown;
  return index < first ? [index, ...shown] : [...shown, index];
}
