import { resolve } from "node:path";
import type { Command } from "./command.ts";
import { runOperation } from "./run-operation.ts";

export const STORE_COMMANDS: readonly Command[] = [
  {
    name: "backup",
    arguments: ["DIR"],
    summary: "Copies everything, as it is at one moment, into a new folder",
    options: ["data"],
    async run(context) {
      const folder = folderOf(context.arguments);
      await runOperation(context, "backup", { folder }, { label: "Backing up" });
      context.err.write(`The backup is in ${folder}.\n`);
      return 0;
    },
  },
  {
    name: "restore",
    arguments: ["DIR"],
    summary: "Replaces everything by a backup; devices take over what they have beyond it",
    options: ["data"],
    isFirst: true,
    async run(context) {
      const folder = folderOf(context.arguments);
      await runOperation(context, "restore", { folder }, { label: "Restoring" });
      context.err.write(`Everything is as in ${folder}.\n`);
      return 0;
    },
  },
];

/** A server has a working directory of its own. */
function folderOf([folder = ""]: readonly string[]): string {
  return resolve(folder);
}
