import type { Command } from "../../commands/command.ts";
import { isTouch } from "../../state/is-touch.ts";
import { listen } from "../../state/listen.ts";
import type { OutlineScreen } from "../focus/outline-screen.ts";
import { rowAt } from "../rows/row-at.ts";
import type { RowId } from "../rows/row-id.ts";
import { selectRowsBetween } from "../focus/select-rows.ts";

/** In the menu of a line: the way to select with a finger. */
export const SELECT_BY_TOUCH: Command = {
  id: "select.byTouch",
  label: "Select lines",
  group: "select",
  places: ["bullet"],
  isEnabled: (_, { keys }) => keys.length > 0 && isTouch(),
  run({ focus, notices }, { ids }) {
    focus.selectNodes(ids);
    notices.show("Tap another line to select up to there");
  },
};

/**
 * While lines are selected, a finger that taps another line selects up to there instead of writing in
 * it. Answers how to stop.
 */
export function selectByTouch(screen: OutlineScreen, root: HTMLElement): () => void {
  let isByFinger = false;
  let isSelecting = false;
  const tapped = (event: Event): RowId | undefined => {
    if (!isByFinger || !isSelecting || !(event.target instanceof Element)) return undefined;
    if (event.target.closest("a[data-part], button") !== null) return undefined;
    return rowAt(event.target);
  };
  const listeners = {
    pointerdown({ pointerType }: PointerEvent) {
      isByFinger = pointerType === "touch";
      const isMenuOpen = document.querySelector(".bullet-menu") !== null;
      isSelecting = !isMenuOpen && screen.workspace.focus.state.get()?.kind === "nodes";
    },
    // Browsers make it of a tap, and put the caret.
    mousedown(event: MouseEvent) {
      if (tapped(event) !== undefined) event.preventDefault();
    },
    click(event: MouseEvent) {
      const id = tapped(event);
      const state = screen.workspace.focus.state.get();
      if (id === undefined || state?.kind !== "nodes") return;
      event.preventDefault();
      event.stopPropagation();
      selectRowsBetween(screen.workspace, state.anchor, id);
    },
  };
  return listen(root, listeners, { capture: true });
}
