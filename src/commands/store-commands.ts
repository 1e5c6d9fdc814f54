import { resolve } from "node:path";
import type { ItemOf } from "../admin/admin-operations.ts";
import type { Command } from "./command.ts";
import { counted } from "./counted.ts";
import { countOf } from "./sentence-of-missing.ts";
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
    need: "begin",
    async run(context) {
      const folder = folderOf(context.arguments);
      await runOperation(
        context,
        "restore",
        { folder },
        { label: "Restoring", onItem: (each) => void context.err.write(sentenceOfLacking(each)) },
      );
      context.err.write(`Everything is as in ${folder}.\n`);
      return 0;
    },
  },
];

function sentenceOfLacking(lacking: ItemOf<"restore">): string {
  const { updates, outlines, clocks } = lacking;
  const missing =
    clocks === 0
      ? ""
      : `Missing are ${countOf(lacking)}; outline check says how many have not come back.\n`;
  if (updates === 0) return "Nothing was there that the backup lacks.\n";
  return `The backup lacks ${counted(updates, "update")} of ${counted(outlines, "outline")}: what devices have of it they bring back when they connect.\n${missing}`;
}

/** A server has a working directory of its own. */
function folderOf([folder = ""]: readonly string[]): string {
  return resolve(folder);
}
