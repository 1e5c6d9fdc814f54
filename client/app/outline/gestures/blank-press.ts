import { listen } from "../../state/listen.ts";
import type { OutlineScreen } from "../focus/outline-screen.ts";

/** What holds the lines, where nothing of them is. */
const BLANK =
  "html, body, .shell, .page-body, .page-main, .outliner, .breadcrumbs, .title, .page-of-rows, .row-area, .rows, .row, .row-marks, .texts, .first-line";

/**
 * A press of the mouse beside the lines takes the caret from nobody: it stays where it is, or comes back
 * from elsewhere. Selected lines are let go, by a finger too, and the caret goes back to where they were
 * selected from last. Where there is none, it goes into the empty line, or into the last one from below. A
 * finger there puts the keyboard away, but where there is only the empty line. Answers how to stop.
 */
export function followBlankPresses(screen: OutlineScreen, page: Document): () => void {
  let isFinger = false;
  const onPointer = ({ pointerType }: PointerEvent): void => {
    isFinger = pointerType === "touch";
  };
  const onPress = (event: MouseEvent): void => {
    const { target } = event;
    const isBlank = target instanceof Element && target.matches(BLANK);
    if (event.button !== 0 || event.defaultPrevented || !isBlank || isOnScrollbar(event)) return;
    if (screen.workspace.dialog.get() !== undefined) return;
    if (isFinger && screen.firstLine === null) {
      const { focus } = screen.workspace;
      if (focus.state.get()?.kind === "nodes") focus.clear();
    } else if (takeCaret(screen, event)) event.preventDefault();
  };
  return listen(page, { pointerdown: onPointer, mousedown: onPress });
}

/** False when no line takes it: then whatever has the focus loses it, as the browser does it. */
function takeCaret(screen: OutlineScreen, { clientY }: MouseEvent): boolean {
  const { rows, focus } = screen.workspace;
  const state = focus.state.get();
  const last = rows.rows.get().at(-1);
  const isBelow = clientY > (screen.tree?.getBoundingClientRect().bottom ?? Infinity);
  if (state?.kind === "nodes") focus.caret(state.head, "end");
  else if (screen.takeBackFocus()) return true;
  else if (last !== undefined && isBelow) focus.caret(last.id, "end");
  else return false;
  return true;
}

function isOnScrollbar({ clientX, clientY }: MouseEvent): boolean {
  const { clientWidth, clientHeight } = document.documentElement;
  return clientX >= clientWidth || clientY >= clientHeight;
}
