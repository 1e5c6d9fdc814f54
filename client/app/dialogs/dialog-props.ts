import type { Command } from "../commands/command.ts";
import type { RecentNodes } from "../page/recent-nodes.ts";
import type { Workspace } from "../state/workspace.ts";
import type { DialogRequest } from "./dialog-request.ts";

/** What every dialog is given. */
export interface DialogProps<Kind extends DialogRequest["kind"]> {
  readonly workspace: Workspace;
  readonly recent: RecentNodes;
  readonly request: Extract<DialogRequest, { readonly kind: Kind }>;
  /** Ends the session on this device; the page is another one then. */
  readonly signOut: () => Promise<void>;
  /** @param keepsFocus when the dialog has put the caret somewhere; else it goes back to where it was */
  readonly close: (keepsFocus?: boolean) => void;
  /** Closes, and runs a command on what was focused before. */
  readonly run: (command: Command) => void;
}
