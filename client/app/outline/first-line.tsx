import { useLayoutEffect, useRef } from "preact/hooks";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { isDone } from "../commands/outcome.ts";
import { Halves } from "../editor/halves.ts";
import { isTouch } from "../state/is-touch.ts";
import { listen } from "../state/listen.ts";
import type { Workspace } from "../state/workspace.ts";
import { beforeHidden } from "./focus/before-hidden.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";

/**
 * The line that is not there yet, where there are no lines: it becomes one with the first letter that
 * is typed, composed or pasted, and not by being looked at.
 */
export function FirstLine({ screen }: { readonly screen: OutlineScreen }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    screen.firstLine = element;
    const stop = followTyping(screen, element);
    // Who looks into a line has the caret in its title soon, or with a finger none.
    const isWanted = screen.workspace.rows.zoom.get() === ROOT || !isTouch();
    if (isWanted && screen.isFocusFree()) element.focus({ preventScroll: true });
    return () => {
      stop();
      if (screen.firstLine === element) screen.firstLine = null;
    };
  }, [screen]);
  return (
    <div class="first-line">
      <span class="first-bullet" aria-hidden="true" />
      <div
        ref={ref}
        class="text-name"
        data-part="add"
        data-hint="Write or paste here"
        contentEditable
        role="textbox"
        aria-label="First line"
        dir="auto"
      />
    </div>
  );
}

/** Makes a line for what is written into it at once: undo takes both away. */
export function addWrittenLine(workspace: Workspace): NodeKey | undefined {
  const made = addLine(workspace);
  if (made !== undefined) workspace.replica.history.goOn();
  return made;
}

/** Makes a line below what is looked at, and puts the caret into it. */
export function addLine(workspace: Workspace): NodeKey | undefined {
  const { replica, rows, focus } = workspace;
  const made = replica.edits.create({ parent: rows.zoom.get(), position: "bottom", name: "" });
  if (!isDone(workspace, made)) return undefined;
  focus.caret(made.key, "start");
  return made.key;
}

function followTyping(screen: OutlineScreen, element: HTMLElement): () => void {
  const { workspace } = screen;
  let line: NodeKey | undefined;
  const halves = new Halves();
  const write = (text: string): void => {
    const { edits } = workspace.replica;
    element.replaceChildren();
    // Letters may come before the new line is drawn and has the caret.
    line ??= text === "" ? addLine(workspace) : addWrittenLine(workspace);
    if (line === undefined || text === "") return;
    const at = edits.text(line, "name")?.length ?? 0;
    if (isDone(workspace, edits.type(line, "name", { at, remove: 0, insert: text }))) {
      workspace.focus.caret(line, "end");
      screen.typed();
    }
  };
  const onBeforeInput = (event: InputEvent): void => {
    // What is being composed stays where it is until it is a word.
    if (event.isComposing || event.inputType === "insertCompositionText") return;
    event.preventDefault();
    const isBreak = event.inputType === "insertParagraph" || event.inputType === "insertLineBreak";
    const text =
      halves.take(event.data) ?? event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (isBreak || text !== "") write(text.replaceAll(/\s+/g, " "));
  };
  const onComposed = (): void => {
    const text = element.textContent ?? "";
    if (text !== "") write(text);
  };
  const stops = [
    beforeHidden(onComposed),
    listen(element, {
      beforeinput: onBeforeInput,
      compositionend: onComposed,
      focus: () => workspace.focus.clear(),
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
