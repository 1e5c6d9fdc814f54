import type { Command } from "./command.ts";
import { INDENT_COMMANDS } from "./indent-commands.ts";
import { MERGE_COMMANDS } from "./merge-commands.ts";
import { HISTORY_COMMANDS, NODE_COMMANDS } from "./node-commands.ts";
import { SPLIT } from "./split-command.ts";

/** What an outline can't be written in without; for one key the first that is enabled is run. */
export const WRITING_COMMANDS: readonly Command[] = [
  SPLIT,
  ...MERGE_COMMANDS,
  ...NODE_COMMANDS,
  ...HISTORY_COMMANDS,
  ...INDENT_COMMANDS,
];
