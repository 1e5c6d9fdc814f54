import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useSelected } from "./outline/use-selected.ts";
import type { Workspace } from "./state/workspace.ts";
import "./phone-bar.css";

/** The commands of the bar with what their buttons show. */
const BUTTONS: readonly { readonly id: string; readonly path: string }[] = [
  { id: "node.outdent", path: "M20 5H9M20 12h-8M20 19H9M7 8.5 3.5 12 7 15.5" },
  { id: "node.indent", path: "M20 5H9M20 12h-8M20 19H9M3.5 8.5 7 12l-3.5 3.5" },
  { id: "node.moveUp", path: "M12 20V5M5.5 11 12 4.5l6.5 6.5" },
  { id: "node.moveDown", path: "M12 4v15M5.5 13l6.5 6.5 6.5-6.5" },
  { id: "node.complete", path: "m4.5 12.5 5 5 10-11" },
  { id: "history.undo", path: "M8 5 3.5 9.5 8 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-3" },
];

/** A bar above the keyboard of a touch screen, while a text is written. */
export function PhoneBar({ workspace }: { readonly workspace: Workspace }) {
  const isTouch = useIsTouch();
  const isSomewhere = useSelected(workspace.focus.state, (state) => state !== undefined);
  const isWriting = useIsWriting();
  useKeyboardHeight();
  if (!isTouch || !isWriting || !isSomewhere) return null;
  return (
    <div
      class="phone-bar"
      role="toolbar"
      aria-label="Editing"
      // The text keeps the focus, or the keyboard would go.
      onPointerDown={(event) => event.preventDefault()}
    >
      {BUTTONS.map(({ id, path }) => (
        <button
          key={id}
          type="button"
          tabIndex={-1}
          aria-label={workspace.commands.get(id)?.label}
          onClick={() => void workspace.commands.run(id)}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={path} />
          </svg>
        </button>
      ))}
    </div>
  );
}

function useIsTouch(): boolean {
  const [query] = useState(() => matchMedia("(pointer: coarse)"));
  const [isTouch, setIsTouch] = useState(query.matches);
  useEffect(() => {
    const update = (): void => setIsTouch(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [query]);
  return isTouch;
}

/** Whether a line, a note or the title has the focus of the page. */
function useIsWriting(): boolean {
  const [isWriting, setIsWriting] = useState(false);
  useLayoutEffect(() => {
    const update = (): void => {
      setIsWriting(document.activeElement?.matches(".outliner [role=textbox]") === true);
    };
    // When the focus goes from one line to the next nothing has it in between.
    const later = (): number => requestAnimationFrame(update);
    update();
    document.addEventListener("focusin", update);
    document.addEventListener("focusout", later);
    return () => {
      document.removeEventListener("focusin", update);
      document.removeEventListener("focusout", later);
    };
  }, []);
  return isWriting;
}

/**
 * Tells the style sheets (`--keyboard-height`) what the keyboard covers of the page, where the page does
 * not make room for it by itself.
 */
function useKeyboardHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return undefined;
    const update = (): void => {
      const covered = Math.max(0, Math.round(innerHeight - viewport.height - viewport.offsetTop));
      document.documentElement.style.setProperty("--keyboard-height", `${covered}px`);
    };
    update();
    viewport.addEventListener("resize", update);
    viewport.addEventListener("scroll", update);
    return () => {
      viewport.removeEventListener("resize", update);
      viewport.removeEventListener("scroll", update);
    };
  }, []);
}
