import type { FormatName } from "./typed-markdown.ts";

/** Offsets of a selection in UTF-16 units of the text. A caret has both at the same place. */
export interface TextRange {
  readonly anchor: number;
  readonly head: number;
}

/**
 * What the app asks of an editor of one text. Whoever fulfils this can take the place of
 * {@link TextEditor}.
 */
export interface InlineEditor {
  /** Focuses the text and selects; offsets beyond its end mean the end. */
  select(anchor: number, head: number): void;
  /** Undefined when the selection is elsewhere. */
  selection(): TextRange | undefined;
  /**
   * Gives the selected text a format, or takes it away when all of it has it. With a caret it is what
   * is typed next that gets it.
   */
  toggle(format: FormatName): void;
  /** Whether an input method is composing: keys are its own then. */
  readonly isComposing: boolean;
  /** Writes what is composed so far, and lets it be composed on. */
  keepComposed(): void;
  dispose(): void;
}
