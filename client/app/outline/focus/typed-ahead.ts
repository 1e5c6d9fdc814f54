import { listen } from "../../state/listen.ts";
import type { Workspace } from "../../state/workspace.ts";

/**
 * Keeps what is typed for a dialog that was asked for and is not there yet, and types it into the field
 * that has the focus in there then: who is quick loses no letter. Answers how to stop.
 */
export function typeAhead({ dialog }: Workspace, document: Document): () => void {
  let text = "";
  const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
    const isAwaited = dialog.get() !== undefined && document.querySelector("dialog[open]") === null;
    if (!isAwaited) text = "";
    else if (key === "Backspace") text = Array.from(text).slice(0, -1).join("");
    else if (Array.from(key).length === 1 && !ctrlKey && !metaKey && !altKey) text += key;
  };
  const onFocus = ({ target }: FocusEvent): void => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (text === "" || !isField || target.closest("dialog[open]") === null) return;
    const { selectionStart: start, selectionEnd: end } = target;
    // Nothing is typed into a checkbox.
    if (start === null || end === null) return;
    target.setRangeText(text, start, end, "end");
    text = "";
    target.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
  };
  const stops = [
    // Before the key is taken from the line behind the dialog.
    listen(document, { keydown: onKey }, { capture: true }),
    listen(document, { focusin: onFocus }),
  ];
  return () => stops.forEach((stop) => stop());
}
