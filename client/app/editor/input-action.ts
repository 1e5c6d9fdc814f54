import type { TextRange } from "./inline-editor.ts";
import type { FormatName } from "./typed-markdown.ts";

/** What is to be done about what the browser is about to do. */
export type InputAction =
  /** It may: plain editing, which is read from the page afterwards. */
  | { readonly kind: "browser" }
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "join"; readonly direction: "before" | "after" }
  | { readonly kind: "history"; readonly direction: "undo" | "redo" }
  | { readonly kind: "format"; readonly format: FormatName }
  | { readonly kind: "nothing" };

/** Where it happens. */
export interface InputContext {
  /** Whether the text may have line breaks. */
  readonly isMultiline: boolean;
  readonly range: TextRange | undefined;
  readonly length: number;
}

const FORMATS: ReadonlyMap<string, FormatName> = new Map([
  ["formatBold", "b"],
  ["formatItalic", "i"],
  ["formatUnderline", "u"],
  ["formatStrikeThrough", "s"],
]);

const PLAIN: ReadonlySet<string> = new Set([
  "insertText",
  "insertReplacementText",
  "insertCompositionText",
  "insertFromComposition",
  "insertTranspose",
  "deleteCompositionText",
]);

/** Whether an input type only changes characters, which the browser does best. */
export function isPlainInput(inputType: string): boolean {
  return PLAIN.has(inputType) || inputType.startsWith("delete");
}

/** Says what to do about an input event, by its type (W3C Input Events, level 2). */
export function inputAction(event: InputEvent, context: InputContext): InputAction {
  const { inputType } = event;
  if (PLAIN.has(inputType)) return { kind: "browser" };
  if (inputType.startsWith("delete")) return deletion(inputType, context);
  switch (inputType) {
    case "insertParagraph":
    case "insertLineBreak":
      return context.isMultiline ? { kind: "insert", text: "\n" } : { kind: "break" };
    case "insertFromPaste":
    case "insertFromPasteAsQuotation":
    case "insertFromYank":
    case "insertFromDrop":
      return { kind: "insert", text: textOf(event, context) };
    case "historyUndo":
      return { kind: "history", direction: "undo" };
    case "historyRedo":
      return { kind: "history", direction: "redo" };
    default: {
      const format = FORMATS.get(inputType);
      return format === undefined ? { kind: "nothing" } : { kind: "format", format };
    }
  }
}

/** Deleting is the browser's, but for what would leave the text. */
function deletion(inputType: string, { range, length }: InputContext): InputAction {
  const caret = range !== undefined && range.anchor === range.head ? range.head : undefined;
  if (caret === 0 && inputType.endsWith("Backward")) return { kind: "join", direction: "before" };
  if (caret === length && inputType.endsWith("Forward"))
    return { kind: "join", direction: "after" };
  return { kind: "browser" };
}

/** The plain text that an event brings, as far as lines are possible where it goes. */
function textOf({ dataTransfer, data }: InputEvent, { isMultiline }: InputContext): string {
  const text = dataTransfer?.getData("text/plain") ?? data ?? "";
  return isMultiline ? withLines(text) : inOneLine(text);
}

function withLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** Line breaks become spaces, with the space around them; what has none stays as it is. */
function inOneLine(text: string): string {
  const lines = withLines(text).split("\n");
  if (lines.length === 1) return text;
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
