import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { AdminClient } from "../admin/admin-client.ts";
import { socketPathOf } from "../admin/socket-path.ts";
import type { RepairedStore } from "../store/level/repair-store.ts";
import { holdsStore } from "../store/level/store-folder.ts";
import { storeFolderOf } from "../store-folder.ts";
import { type Command, CommandError } from "./command.ts";
import { counted } from "./counted.ts";
import { ProgressBar } from "./run-operation.ts";
import { countOf } from "./sentence-of-missing.ts";

const ON_POSTGRES =
  "The store is a PostgreSQL database: mend it with PostgreSQL's own tools, or put back a backup of it.";

/** Never in a server: what can't be opened can't be served meanwhile. */
export const REPAIR_COMMAND: Command = {
  name: "repair",
  arguments: [],
  summary: "Mends a damaged store while no server runs, and says what is lost",
  options: ["data"],
  flags: {
    "keep-keys": { meaning: "Keeps keys and sessions that may have been revoked before" },
  },
  async run(context) {
    const { config, err, flags, now } = context;
    if (config.store !== undefined) throw new CommandError(ON_POSTGRES);
    const folder = storeFolderOf(config);
    if (!(await holdsStore(folder))) {
      throw new CommandError(`There is no outline store in "${config.data}".`);
    }
    const server = await AdminClient.connect(await socketPathOf(config.data));
    if (server !== undefined) {
      await server.close();
      throw new CommandError(`A server runs on "${config.data}": stop it first.`);
    }
    const { repairStore } = await import("../store/level/repair-store.ts");
    const keepKeys = flags["keep-keys"] === true;
    const progress = new ProgressBar(context, "Outlines");
    const repaired = await repairStore(folder, {
      newEpoch: () => randomBytes(10).toString("hex"),
      now,
      keepKeys,
      onProgress: ({ outlines, of }) => progress.update(outlines, of),
    }).finally(() => progress.stop());
    if (repaired === undefined) err.write("Nothing is damaged, and nothing was changed.\n");
    else for (const line of linesOf(repaired, keepKeys)) err.write(`${line}\n`);
    return 0;
  },
};

function* linesOf(repaired: RepairedStore, keptKeys: boolean): Generator<string> {
  const { aside, outlines, otherRecords, isInDoubt, endedKeys } = repaired;
  for (const { outline, records, missing } of outlines) {
    const known = missing.clocks === 0 ? "" : `; known to be missing are ${countOf(missing)}`;
    yield `${outline}: ${counted(records, "record was", "records were")} damaged or gone${known}`;
  }
  const of = counted(outlines.length, "outline");
  yield `Something was damaged in ${of} and ${counted(otherRecords, "other record")}. Devices hand in what they have of it.`;
  if (otherRecords > 0)
    yield "Users or keys may be missing: look at outline user list and key list.";
  if (isInDoubt) {
    yield "More may be lost than could be counted. Users may be missing, or be there again: look at outline user list.";
    yield keptKeys
      ? "Keys that were revoked may be valid again: look at outline key list."
      : `${counted(endedKeys, "key or session", "keys and sessions")} ended, since some that had been revoked could be valid again: make new ones with outline key add.`;
  }
  yield `The damaged store is kept in ${basename(aside)}, as it was.`;
}
