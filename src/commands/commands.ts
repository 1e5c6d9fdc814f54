import { ACCOUNT_COMMANDS } from "./account-commands.ts";
import { CHECK_COMMAND } from "./check-command.ts";
import type { Command } from "./command.ts";
import { EXPORT_COMMAND } from "./export-command.ts";
import { IMPORT_COMMAND } from "./import-command.ts";
import { MCP_COMMAND } from "./mcp-command.ts";
import { MIGRATE_COMMAND } from "./migrate-command.ts";
import { REPAIR_COMMAND } from "./repair-command.ts";
import { SERVE_COMMAND } from "./serve-command.ts";
import { STORE_COMMANDS } from "./store-commands.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  SERVE_COMMAND,
  ...ACCOUNT_COMMANDS,
  IMPORT_COMMAND,
  EXPORT_COMMAND,
  MCP_COMMAND,
  CHECK_COMMAND,
  REPAIR_COMMAND,
  ...STORE_COMMANDS,
  MIGRATE_COMMAND,
];
