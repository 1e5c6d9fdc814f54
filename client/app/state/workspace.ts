import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Replica } from "../../lib/replica.ts";
import type { KeyCombination, KeyPress } from "../commands/key-combination.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import type { Focus } from "../outline/focus/focus.ts";
import type { NodeWatch } from "../outline/rows/node-facts.ts";
import type { LiveRows } from "../outline/rows/live-rows.ts";
import type { Notices } from "../page/notices.ts";
import type { RowId } from "../outline/rows/row-id.ts";
import type { Preferences } from "../settings/preferences.ts";
import type { Cell } from "./source.ts";

/** What the parts of the app share while an outline is open. Made by `createWorkspace`. */
export interface Workspace {
  readonly replica: Replica;
  /** Zoom, folds, filter, and the rows that follow from them. */
  readonly rows: LiveRows;
  /** Where the caret is and which nodes are selected. */
  readonly focus: Focus;
  /** Tells of changes of single nodes. */
  readonly nodes: NodeWatch;
  readonly commands: CommandRegistry;
  /** The dialog that is open. */
  readonly dialog: Cell<DialogRequest | undefined>;
  readonly notices: Notices;
  /** How this device likes it: theme, text size, hidden completed nodes. */
  readonly preferences: Preferences;
  /** Stops following the replica, which stays open. */
  close(): void;
}

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

/** What a command works on. */
export interface CommandTarget {
  /** The node with the caret, or the selected ones, in their order. */
  readonly keys: readonly NodeKey[];
  /** Their rows, or the zoomed node's title. */
  readonly ids: readonly RowId[];
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
  readonly keys?: readonly KeyCombination[];
  /** On a Mac, where these are others. */
  readonly macKeys?: readonly KeyCombination[];
  /** Where it is offered besides the palette and the help page. */
  readonly places?: readonly ("slash" | "bullet")[];
  /** What a key of writing does at the caret: nobody looks for it by name, and the palette has it not. */
  readonly isOfWriting?: boolean;
  /** The line of a text at which its key leaves that text; before it the key is the text's own. */
  readonly edge?: "up" | "down";
  /** The browser itself does it when the key is pressed: the keymap lets the key pass. */
  readonly isNative?: boolean;
  isEnabled(workspace: Workspace, target: CommandTarget): boolean;
  run(workspace: Workspace, target: CommandTarget): void | Promise<void>;
}

/** All commands of a workspace. */
export interface CommandRegistry {
  readonly all: readonly Command[];
  /** Those that are there already stay where they are: whoever needs some adds them. */
  add(commands: readonly Command[]): void;
  get(id: string): Command | undefined;
  /** Runs a command on what is focused now; false when it is unknown or not enabled. */
  run(id: string): boolean;
  /** The commands of a key press that are enabled now, in the order in which they were added. */
  forKey(press: KeyPress): Iterable<Command>;
  /** As a person on this machine reads it: `⇧⌘K`, `Ctrl+Shift+K`; undefined for what has no key. */
  keyLabel(command: Command | undefined): string | undefined;
  /** All its keys. */
  keyLabels(command: Command): readonly string[];
}
