import type { Replica } from "../../lib/replica.ts";
import type { CommandRegistryFor } from "../commands/command-for.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import type { Focus } from "../outline/focus.ts";
import type { NodeWatch } from "../outline/node-facts.ts";
import type { LiveRows } from "../outline/live-rows.ts";
import type { Notices } from "../page/notices.ts";
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
  readonly commands: CommandRegistryFor<Workspace>;
  /** The dialog that is open. */
  readonly dialog: Cell<DialogRequest | undefined>;
  readonly notices: Notices;
  /** How this device likes it: theme, text size, hidden completed nodes. */
  readonly preferences: Preferences;
  /** Stops following the replica, which stays open. */
  close(): void;
}
