import type { Workspace } from "../state/workspace.ts";
import { paste, pasteLiterally } from "./paste.ts";
import { type ClipboardTexts, pastedOf } from "./pasted.ts";

/** Reads a clipboard and puts what is on it where the caret is. */
export function takePaste(workspace: Workspace, texts: ClipboardTexts, isLiteral: boolean): void {
  const plain = texts("text/plain");
  if (isLiteral && plain !== "") pasteLiterally(workspace, plain);
  else paste(workspace, pastedOf(texts));
}
