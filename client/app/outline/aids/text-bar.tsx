import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Colour, type ColourKind, toggleColour } from "../../commands/colour-commands.ts";
import { targetOf } from "../../commands/target.ts";
import { listen } from "../../state/listen.ts";
import type { Workspace } from "../../state/workspace.ts";
import { ColourLines } from "./colour-lines.tsx";
import { useSelected } from "../../state/use-source.ts";
import "./text-bar.css";

const FORMATS = [
  { id: "format.bold", shown: <b>B</b> },
  { id: "format.italic", shown: <i>I</i> },
  { id: "format.strike", shown: <s>S</s> },
  { id: "format.code", shown: <code>{"<>"}</code> },
  { id: "format.link", shown: <u>A</u> },
] as const;

const GAP_PX = 8;

/** A small bar over selected text: formats and colours for who has a mouse. Keys have them all, too. */
export function TextBar({ workspace }: { readonly workspace: Workspace }) {
  const place = useSelected(workspace.focus.state, (state) =>
    state?.kind === "text" && state.anchor !== state.head
      ? `${state.id} ${state.part} ${state.anchor} ${state.head}`
      : "",
  );
  const isPressed = useIsPressed();
  if (place === "" || isPressed || matchMedia("(hover: none)").matches) return null;
  return <OpenBar key={place} workspace={workspace} />;
}

function OpenBar({ workspace }: { readonly workspace: Workspace }) {
  const bar = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ readonly left: number; readonly top: number }>();
  const [isOpen, setIsOpen] = useState(false);
  const [isGone, setIsGone] = useState(false);
  useLayoutEffect(() => {
    const selection = getSelection();
    const box = bar.current?.getBoundingClientRect();
    const text = selection?.rangeCount
      ? selection.getRangeAt(0).getBoundingClientRect()
      : undefined;
    if (box === undefined || text === undefined || text.width === 0) return;
    const above = text.top - box.height - GAP_PX;
    const left = text.left + text.width / 2 - box.width / 2;
    setPlace({
      left: Math.max(GAP_PX, Math.min(left, innerWidth - box.width - GAP_PX)),
      top: above > GAP_PX ? above : text.bottom + GAP_PX,
    });
  }, [isOpen]);
  useLayoutEffect(
    () => listen(window, { scroll: () => setIsGone(true) }, { passive: true, once: true }),
    [],
  );
  if (isGone) return null;
  const paint = (kind: ColourKind, colour: Colour): void =>
    toggleColour(workspace, targetOf(workspace.focus.state.get()), kind, colour);
  return (
    <div
      ref={bar}
      class="popover text-bar"
      role="toolbar"
      aria-label="Selected text"
      data-placed={place !== undefined}
      style={place && { left: `${place.left}px`, top: `${place.top}px` }}
      // The text keeps the focus, and what is selected.
      onPointerDown={(event) => event.preventDefault()}
    >
      <div class="text-bar-line">
        {FORMATS.map(({ id, shown }) => {
          const command = workspace.commands.get(id);
          return (
            <button
              key={id}
              type="button"
              tabIndex={-1}
              aria-label={command?.label}
              title={command && `${command.label}  ${workspace.commands.keyLabel(command) ?? ""}`}
              onClick={() => void workspace.commands.run(id)}
            >
              {shown}
            </button>
          );
        })}
        <button
          type="button"
          tabIndex={-1}
          aria-label="Colours"
          title="Colours"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span class="text-bar-colours" />
        </button>
      </div>
      {isOpen && <ColourLines paint={paint} />}
    </div>
  );
}

/** While the mouse is still selecting nothing gets in its way. */
function useIsPressed(): boolean {
  const [isPressed, setIsPressed] = useState(false);
  useLayoutEffect(() => {
    const press = ({ target }: Event): void => {
      if (!(target instanceof Element) || target.closest(".text-bar") === null) setIsPressed(true);
    };
    const letGo = (): void => setIsPressed(false);
    const listeners = {
      pointerdown: press,
      pointerup: letGo,
      pointercancel: letGo,
      dragend: letGo,
    };
    return listen(document, listeners, { capture: true });
  }, []);
  return isPressed;
}
