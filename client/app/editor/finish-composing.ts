import type { Workspace } from "../state/workspace.ts";

/** Writes what is composed so far, and ends that: what is typed next is another word. */
export function finishComposing({ focus }: Workspace): void {
  const editor = focus.editor();
  if (editor?.isComposing !== true) return;
  editor.keepComposed();
  const range = editor.selection();
  // With the focus the browser ends what is composed.
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement) activeElement.blur();
  if (range !== undefined) editor.select(range.anchor, range.head);
}
