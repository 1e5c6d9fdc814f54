#!/usr/bin/env node
import { COMMANDS } from "./commands/commands.ts";
import { runCommand } from "./commands/run-command.ts";
import { openChannel } from "./open-channel.ts";
import { VERSION } from "./version.ts";

// What people write is nobody else's business on this machine: all files, those that LevelDB makes too,
// are for their owner only.
process.umask(0o077);

process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads the output may have had enough of it, like `head`.
  if (code !== "EPIPE") process.stderr.write(`The output can't be written: ${message}.\n`);
  process.exit(1);
});
// What a person was to be told changes nothing of what is done.
process.stderr.on("error", () => undefined);

process.exitCode = await runCommand(COMMANDS, {
  out: process.stdout,
  err: process.stderr,
  arguments: process.argv.slice(2),
  environment: process.env,
  version: VERSION,
  now: Date.now,
  openChannel,
});
