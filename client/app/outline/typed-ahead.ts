import type { Workspace } from "../state/workspace.ts";

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
    target.setRangeText(text, target.selectionStart ?? 0, target.selectionEnd ?? 0, "end");
    text = "";
    target.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
  };
  // Before the key is taken from the line behind the dialog.
  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("focusin", onFocus);
  return () => {
    document.removeEventListener("keydown", onKey, { capture: true });
    document.removeEventListener("focusin", onFocus);
  };
}
