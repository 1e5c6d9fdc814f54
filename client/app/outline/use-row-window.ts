import { useLayoutEffect, useMemo } from "preact/hooks";
import { useRenew } from "../state/use-renew.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import type { Row } from "./rows/outline-rows.ts";
import { RowWindow } from "./row-window.ts";

/** The rows that are to be drawn, kept up with scrolling and with what they measure. */
export function useRowWindow(
  screen: OutlineScreen,
  list: { readonly current: HTMLElement | null },
  rows: readonly Row[],
): RowWindow {
  const renew = useRenew();
  const shown = useMemo(() => new RowWindow(screen, renew), [screen, renew]);
  shown.take(rows);
  screen.holdCaret();
  useLayoutEffect(() => {
    if (list.current === null) return undefined;
    return shown.follow(list.current);
  }, [shown, list]);
  useLayoutEffect(() => {
    shown.settle();
    screen.keepFocus();
  });
  return shown;
}
