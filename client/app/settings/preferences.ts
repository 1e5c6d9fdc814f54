import type { Cell } from "../state/source.ts";

/** How one device likes it. Kept in the browser, read before anything is painted, never sent. */
export interface Preferences {
  readonly theme: Cell<"system" | "light" | "dark">;
  readonly textSize: Cell<"small" | "medium" | "large">;
  readonly hidesCompleted: Cell<boolean>;
  /** Whether all but the branch with the caret stand back. */
  readonly dimsOthers: Cell<boolean>;
  /** Whether the places stand beside the outline where there is room for both. */
  readonly showsPlaces: Cell<boolean>;
}
