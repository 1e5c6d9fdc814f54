import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Workspace } from "../state/workspace.ts";

/** Where a command is listed: on the help page, in this order. */
export const COMMAND_GROUPS = [
  "write",
  "move",
  "select",
  "look",
  "find",
  "format",
  "outline",
] as const;

export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * A key with its modifiers: `Mod` is Cmd on a Mac and Ctrl elsewhere, as in `Mod+Shift+K`, `Alt+ArrowUp`;
 * the last part is a `KeyboardEvent.key`, or `code:Digit8` for the key at a place.
 */
export type KeyCombination = string;

/** What a command works on. */
export interface CommandTarget {
  /** The node with the caret, or the selected ones, in their order. */
  readonly keys: readonly NodeKey[];
  /** The part and range that is edited; absent when nodes are selected. */
  readonly text?: { readonly part: "name" | "note"; readonly from: number; readonly to: number };
}

/** One thing that a person can do; keymap, palette, slash menu, help page and phone bar show these. */
export interface Command {
  /** Stable: `node.complete`, `view.zoomIn`. */
  readonly id: string;
  /** In the imperative: "Complete". */
  readonly label: string;
  readonly group: CommandGroup;
  /** Other words by which a person may look for it. */
  readonly words?: string;
  readonly keys?: {
    readonly mac: readonly KeyCombination[];
    readonly others: readonly KeyCombination[];
  };
  /** Where it is offered besides the palette and the help page. */
  readonly places?: readonly ("slash" | "phone" | "bullet")[];
  isEnabled(workspace: Workspace, target: CommandTarget): boolean;
  run(workspace: Workspace, target: CommandTarget): void | Promise<void>;
}

export interface CommandRegistry {
  readonly all: readonly Command[];
  add(commands: readonly Command[]): void;
  get(id: string): Command | undefined;
  /** Runs a command on what is focused now; false when it is unknown or not enabled. */
  run(id: string): boolean;
  /** As a person on this machine reads it: `⇧⌘K`, `Ctrl+Shift+K`. */
  keyLabel(command: Command): string | undefined;
}
