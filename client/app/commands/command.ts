// A command works in a workspace, which holds the commands: the two name each other, and stand together.
export {
  COMMAND_GROUPS,
  type Command,
  type CommandGroup,
  type CommandRegistry,
  type CommandTarget,
} from "../state/workspace.ts";
