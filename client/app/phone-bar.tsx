import { useEffect } from "preact/hooks";
import { finishComposing } from "./editor/finish-composing.ts";
import { Icon } from "./page/icon.tsx";
import { TOUCH } from "./state/is-touch.ts";
import { listen } from "./state/listen.ts";
import { useMedia } from "./state/use-media.ts";
import { useRead } from "./state/use-read.ts";
import { useSelected, useSource } from "./state/use-source.ts";
import type { Workspace } from "./state/workspace.ts";
import "./phone-bar.css";

interface BarButton {
  readonly id: string;
  readonly path: string;
}

/** What lines are moved and changed with: while one is written, and while several are selected. */
const STRUCTURE: readonly BarButton[] = [
  { id: "node.outdent", path: "M20 5H9M20 12h-8M20 19H9M7 8.5 3.5 12 7 15.5" },
  { id: "node.indent", path: "M20 5H9M20 12h-8M20 19H9M3.5 8.5 7 12l-3.5 3.5" },
  { id: "node.moveUp", path: "M12 20V5M5.5 11 12 4.5l6.5 6.5" },
  { id: "node.moveDown", path: "M12 4v15M5.5 13l6.5 6.5 6.5-6.5" },
  { id: "node.complete", path: "m4.5 12.5 5 5 10-11" },
];
const MOVE: BarButton = {
  id: "node.moveTo",
  path: "M4 6h7M4 12h5M4 18h7M13 12h7.5M17 8.5l3.5 3.5-3.5 3.5",
};
const UNDO: BarButton = {
  id: "history.undo",
  path: "M8 5 3.5 9.5 8 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-3",
};
const WHILE_WRITING: readonly BarButton[] = [
  ...STRUCTURE,
  UNDO,
  { id: "node.note", path: "M5 5h14M5 10h14M5 15h8" },
  {
    id: "view.zoomIn",
    path: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM15 15l5 5M8 10.5h5M10.5 8v5",
  },
  MOVE,
];
const WHILE_SELECTED: readonly BarButton[] = [
  ...STRUCTURE,
  MOVE,
  { id: "node.delete", path: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 12h8.4L17 7" },
  UNDO,
];

/** A bar above the keyboard of a touch screen, while a text is written or lines are selected. */
export function PhoneBar({ workspace }: { readonly workspace: Workspace }) {
  const isTouch = useMedia(TOUCH);
  const kind = useSelected(workspace.focus.state, (state) => state?.kind);
  const isWriting = useIsWriting();
  const isAsked = useSource(workspace.dialog) !== undefined;
  useKeyboardHeight();
  if (!isTouch || isAsked) return null;
  const isSelecting = kind === "nodes";
  if (!isSelecting && !(isWriting && kind === "text"))
    return <CaptureButton workspace={workspace} />;
  return (
    <div
      class="phone-bar"
      role="toolbar"
      aria-label="Editing"
      // The text keeps the focus, or the keyboard would go.
      onPointerDown={(event) => event.preventDefault()}
    >
      {(isSelecting ? WHILE_SELECTED : WHILE_WRITING).map(({ id, path }) => (
        <button
          key={id}
          type="button"
          tabIndex={-1}
          aria-label={workspace.commands.get(id)?.label}
          onClick={() => {
            // A word that is still being composed is what was done last.
            if (id === UNDO.id) finishComposing(workspace);
            workspace.commands.run(id);
          }}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d={path} />
          </svg>
        </button>
      ))}
      {isSelecting && (
        <button type="button" class="phone-bar-done" onClick={() => workspace.focus.clear()}>
          Done
        </button>
      )}
    </div>
  );
}

/** Puts a thought into the inbox, from wherever one is. */
function CaptureButton({ workspace }: { readonly workspace: Workspace }) {
  return (
    <button
      type="button"
      class="capture-button"
      aria-label="Capture into the inbox"
      onClick={() => void workspace.commands.run("page.capture")}
    >
      <Icon name="plus" />
    </button>
  );
}

/** Whether a line, a note or the title has the focus of the page. */
function useIsWriting(): boolean {
  return useRead(
    () => document.activeElement?.matches(".outliner [role=textbox]") === true,
    (look) =>
      // When the focus goes from one line to the next nothing has it in between.
      listen(document, { focusin: look, focusout: () => void requestAnimationFrame(look) }),
    [],
  );
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
    return listen(viewport, { resize: update, scroll: update });
  }, []);
}
