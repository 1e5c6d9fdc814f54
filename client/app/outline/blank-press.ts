import type { OutlineScreen } from "./outline-screen.ts";

/** What holds the lines, where nothing of them is. */
const BLANK =
  "html, body, .shell, .page-body, .page-main, .outliner, .breadcrumbs, .title, .page-of-rows, .row-area, .rows, .row, .row-marks, .texts, .first-line";

/**
 * A press of the mouse beside the lines takes the caret from nobody: it stays where it is, or comes back
 * from elsewhere. Where there is none, it goes into the empty line, or into the last one from below. A
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
    if (isFinger && screen.firstLine === null) return;
    event.preventDefault();
    if (screen.takeBackFocus()) return;
    const { rows, focus } = screen.workspace;
    const last = rows.rows.get().at(-1);
    const isBelow = event.clientY > (screen.tree?.getBoundingClientRect().bottom ?? Infinity);
    if (last !== undefined && isBelow) focus.caret(last.id, "end");
  };
  page.addEventListener("pointerdown", onPointer);
  page.addEventListener("mousedown", onPress);
  return () => {
    page.removeEventListener("pointerdown", onPointer);
    page.removeEventListener("mousedown", onPress);
  };
}

function isOnScrollbar({ clientX, clientY }: MouseEvent): boolean {
  const { clientWidth, clientHeight } = document.documentElement;
  return clientX >= clientWidth || clientY >= clientHeight;
}
