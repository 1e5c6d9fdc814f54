import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { isStoreAddress } from "../config.ts";
import { StoreError } from "../documents/log/outline-log.ts";
import { LOG_LOSS } from "../service-events.ts";
import type { Purpose } from "../store/purpose.ts";
import { holdsStore } from "../store/level/store-folder.ts";
import type { StoreIntake, StoreOrigin } from "../store/store-move.ts";
import { storeFolderOf } from "../store-folder.ts";
import {
  type Command,
  type CommandContext,
  CommandError,
  flagText,
  UsageError,
} from "./command.ts";
import { counted } from "./counted.ts";
import { ProgressBar } from "./run-operation.ts";

const LEVEL = "level:";

/** Either a data folder or the address of a database. */
type Place =
  | { readonly kind: "level"; readonly data: string }
  | { readonly kind: "postgres"; readonly address: string };

interface MovableStore extends StoreOrigin {
  intake(): StoreIntake;
  close(): Promise<void>;
}

/** In a process that has both stores for itself: what is served changes. */
export const MIGRATE_COMMAND: Command = {
  name: "migrate",
  arguments: [],
  summary: "Moves everything from a data folder to PostgreSQL, or back, while no server runs",
  options: [],
  flags: {
    from: {
      value: "STORE",
      meaning: "`level:FOLDER`, with a data folder, or `postgres://…`; is left as it is",
    },
    to: {
      value: "STORE",
      meaning: "Likewise, empty, or with what is there of a move that was broken off",
    },
  },
  async run(context) {
    const from = placeIn(context, "from");
    const to = placeIn(context, "to");
    if (JSON.stringify(from) === JSON.stringify(to)) {
      throw new UsageError("--from and --to name the same store.");
    }
    const source = await opened("--from", from, { kind: "use" }, context);
    try {
      const target = await opened("--to", to, { kind: "arrive", name: source.name }, context);
      try {
        await move(source, target.intake(), context);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
    return 0;
  },
};

async function move(from: StoreOrigin, to: StoreIntake, context: CommandContext): Promise<void> {
  // Other commands start faster without Yjs.
  const { moveStore } = await import("../store/move-store.ts");
  const progress = new ProgressBar(context, "Outlines");
  const { outlines, users } = await moveStore(from, to, (at) => {
    progress.update(at.outlines, at.of);
  }).finally(() => progress.stop());
  const what = `${counted(outlines, "outline")} and ${counted(users, "user")}`;
  context.err.write(`Moved ${what}; all of it was read back and is the same.\n`);
}

function placeIn(context: CommandContext, flag: "from" | "to"): Place {
  const text = flagText(context, flag) ?? "";
  if (isStoreAddress(text)) return { kind: "postgres", address: text };
  const folder = text.startsWith(LEVEL) ? text.slice(LEVEL.length) : "";
  if (folder === "") {
    throw new UsageError(
      `--${flag} must be level:FOLDER or an address that begins with postgres://.`,
    );
  }
  return { kind: "level", data: resolve(folder) };
}

/** @throws CommandError with a sentence that names the option */
async function opened(
  flag: string,
  place: Place,
  purpose: Purpose,
  { err }: CommandContext,
): Promise<MovableStore> {
  const events = { onLogLoss: () => void err.write(`${LOG_LOSS}\n`) };
  const options = { now: Date.now, randomBytes, purpose, events };
  try {
    if (place.kind === "postgres") {
      const { PostgresStore } = await import("../store/postgres/postgres-store.ts");
      return await PostgresStore.open(place.address, options);
    }
    const folder = storeFolderOf(place);
    if (purpose.kind === "use" && !(await holdsStore(folder))) {
      throw new CommandError(`${flag}: There is no outline store in "${place.data}".`);
    }
    const { LevelStore } = await import("../store/level/level-store.ts");
    return await LevelStore.open(folder, options);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const isUsed = error.code === "store_locked";
    const sentence = isUsed ? "Another process uses it: stop the server first." : error.message;
    throw new CommandError(`${flag}: ${sentence}`);
  }
}
