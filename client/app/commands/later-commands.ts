import type { Command } from "./command.ts";
import { COPY_COMMANDS } from "./copy-commands.ts";
import { PAGE_COMMANDS } from "../page/page-commands.ts";
import { DELETE_COMMANDS } from "./delete-commands.ts";
import { FORMAT_COMMANDS } from "./format-commands.ts";
import { LEAVE } from "./leave-command.ts";
import { LINK_COMMANDS } from "./link-commands.ts";
import { MOVE_COMMANDS } from "./move-commands.ts";
import { PASTE_LITERALLY } from "./paste-command.ts";
import { SELECT_COMMANDS } from "./select-commands.ts";
import { VIEW_COMMANDS } from "./view-commands.ts";

/** What else can be done in the outline, and comes right behind it: those for the keyboard first. */
export const LATER_COMMANDS: readonly Command[] = [
  ...DELETE_COMMANDS,
  ...COPY_COMMANDS,
  ...SELECT_COMMANDS,
  ...VIEW_COMMANDS,
  LEAVE,
  PASTE_LITERALLY,
  ...MOVE_COMMANDS,
  ...FORMAT_COMMANDS,
  ...LINK_COMMANDS,
];

/**
 * With those of the page behind them. Whoever needs some adds all: of two with one key the first is tried
 * first, whichever part of the page comes first.
 */
export const OTHER_COMMANDS: readonly Command[] = [...LATER_COMMANDS, ...PAGE_COMMANDS];
