import * as Y from "yjs";
import { applyUnfollowed } from "../core/yjs/apply-stored-update.ts";
import type { OutlineId } from "../core/node-key.ts";
import { Outline } from "../core/outline.ts";
import type { CommandContext } from "./command.ts";
import { runOperation } from "./run-operation.ts";

/**
 * A copy of a user's outline as it is durable now. The server only passes stored bytes on: the work
 * of reading them is done here, where it keeps nobody else waiting.
 */
export async function readState(context: CommandContext, user: string): Promise<Outline> {
  const doc = new Y.Doc();
  let id: OutlineId | undefined;
  await runOperation(
    context,
    "state",
    { user },
    {
      label: "Reading",
      onItem: (item) => {
        if ("outline" in item) id = item.outline;
        else applyUnfollowed(doc, item.update);
      },
    },
  );
  if (id === undefined) throw new Error("a state says whose it is");
  return Outline.attach(doc, { id, now: context.now, random: Math.random });
}
