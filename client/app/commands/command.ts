import type { Workspace } from "../state/workspace.ts";
import type { CommandFor, CommandRegistryFor } from "./command-for.ts";

export { COMMAND_GROUPS, type CommandGroup, type CommandTarget } from "./command-for.ts";

/** One thing that a person can do; keymap, palette, slash menu, help page and phone bar show these. */
export type Command = CommandFor<Workspace>;

export type CommandRegistry = CommandRegistryFor<Workspace>;
