import type { Command } from "./command.ts";
import { FORMAT_COMMANDS } from "./format-commands.ts";
import { INDENT_COMMANDS } from "./indent-commands.ts";
import { LINK_COMMANDS } from "./link-commands.ts";
import { LEAVE } from "./leave-command.ts";
import { MERGE_COMMANDS } from "./merge-commands.ts";
import { MOVE_COMMANDS } from "./move-commands.ts";
import { HISTORY_COMMANDS, NODE_COMMANDS } from "./node-commands.ts";
import { PASTE_LITERALLY } from "./paste-command.ts";
import { SELECT_COMMANDS } from "./select-commands.ts";
import { SPLIT } from "./split-command.ts";
import { VIEW_COMMANDS } from "./view-commands.ts";

/** What can be done in the outline itself; for one key the first that is enabled is run. */
export const OUTLINE_COMMANDS: readonly Command[] = [
  SPLIT,
  ...MERGE_COMMANDS,
  ...NODE_COMMANDS,
  PASTE_LITERALLY,
  ...HISTORY_COMMANDS,
  ...INDENT_COMMANDS,
  ...MOVE_COMMANDS,
  ...SELECT_COMMANDS,
  ...VIEW_COMMANDS,
  ...FORMAT_COMMANDS,
  ...LINK_COMMANDS,
  LEAVE,
];
