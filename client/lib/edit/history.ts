import type { NodeKey } from "../../../src/core/node-key.ts";

/** Where the caret was before a step, to put it back there. Offsets are in UTF-16 units. */
export interface CaretPlace {
  readonly key: NodeKey;
  readonly part: "name" | "note";
  readonly at: number;
  /** In which of several places that show the node, in words of who says it; kept as it is. */
  readonly via?: string;
  /** Whole lines were selected, in words of who says it; kept as it is. */
  readonly lines?: readonly string[];
}

/** Undo and redo of what this device did; never of what others did. */
export interface History {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Stands for the step that `undo` takes back: the same object as long as that is the last one. */
  readonly last: object | undefined;
  /** Undoes the last step. Answers where the caret belongs; undefined when nothing was to be undone. */
  undo(): { readonly caret: CaretPlace | undefined } | undefined;
  redo(): { readonly caret: CaretPlace | undefined } | undefined;
  /** What is done next starts a new step, even if it is more typing in the same text. */
  seal(): void;
  /** What is done next is part of the last step, as long as that is the last one. */
  goOn(): void;
  /** What was done until now can't be taken back any more. */
  forget(): void;
  /** Where the caret is now: kept with the step that is done next. */
  caretAt(caret: CaretPlace | undefined): void;
  /** Groups all edits made in `work` into one step. */
  step<T>(work: () => T): T;
}
