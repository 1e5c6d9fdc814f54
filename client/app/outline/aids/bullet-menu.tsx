import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { toggleColour } from "../../commands/colour-commands.ts";
import { holdFocus } from "../../commands/outcome.ts";
import { targetOf } from "../../commands/target.ts";
import { listen } from "../../state/listen.ts";
import { useSource } from "../../state/use-source.ts";
import type { Workspace } from "../../state/workspace.ts";
import { ColourLines } from "./colour-lines.tsx";
import type { OpenBullet, Pointer } from "../gestures/pointer.ts";

/** What can be done with a line, at its bullet: for a right click, or a finger that rests there. */
export function BulletMenu({
  workspace,
  pointer,
}: {
  readonly workspace: Workspace;
  readonly pointer: Pointer;
}) {
  const open = useSource(pointer.menu);
  if (open === undefined) return null;
  return <OpenMenu workspace={workspace} open={open} close={() => pointer.menu.set(undefined)} />;
}

const GAP_PX = 8;

function OpenMenu({
  workspace,
  open,
  close,
}: {
  readonly workspace: Workspace;
  readonly open: OpenBullet;
  readonly close: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: open.x, top: open.y });
  const target = targetOf(workspace.focus.state.get());
  const commands = workspace.commands.all.filter(
    (command) =>
      command.places?.includes("bullet") === true && command.isEnabled(workspace, target),
  );
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return undefined;
    const { width, height } = element.getBoundingClientRect();
    setPlace({
      left: Math.max(GAP_PX, Math.min(open.x, innerWidth - width - GAP_PX)),
      top: Math.max(GAP_PX, Math.min(open.y, innerHeight - height - GAP_PX)),
    });
    let before: Element | null = null;
    // After the line, which is selected with it, has had the focus.
    queueMicrotask(() => {
      before = document.activeElement;
      element.querySelector("button")?.focus({ preventScroll: true });
    });
    // The keys go on with the line, and the page stays where it was scrolled to.
    const leaveScrolled = (): void => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
      close();
    };
    const leave = (event: Event): void => {
      if (!(event.target instanceof Node) || !element.contains(event.target)) close();
    };
    const stops = [
      listen(document, { pointerdown: leave }, { capture: true }),
      listen(window, { scroll: leaveScrolled }, { passive: true }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const buttons = [...(menu.current?.querySelectorAll("button") ?? [])];
      const at = buttons.findIndex((button) => button === document.activeElement);
      buttons.at((at + step) % buttons.length)?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      close();
      workspace.focus.caret(open.id, "end");
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={menu}
      class="popover menu bullet-menu"
      role="menu"
      aria-label="Line"
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
      onKeyDown={onKeyDown}
      // Between its lines nothing takes the focus from the one that has it.
      onPointerDown={(event) => event.preventDefault()}
    >
      {commands.map((command) => (
        <button
          key={command.id}
          type="button"
          role="menuitem"
          class="menu-item"
          tabIndex={-1}
          onClick={() => {
            close();
            // The button that had the focus is gone.
            holdFocus(workspace);
            workspace.commands.run(command.id);
          }}
        >
          <span>{command.label}</span>
          <kbd class="key">{workspace.commands.keyLabel(command)}</kbd>
        </button>
      ))}
      <ColourLines
        role="menuitem"
        paint={(kind, colour) => {
          close();
          holdFocus(workspace);
          toggleColour(workspace, target, kind, colour);
        }}
      />
    </div>
  );
}
