import type { Database, OpenDatabase, Operation } from "../../../src/store/database.ts";
import { meaningOf } from "../../../src/store/key-meaning.ts";
import { GARBAGE_MARKS } from "../../../src/store/store-keys.ts";
import { isIn } from "../../../src/store/level/garbage.ts";

/** Where in a compaction a process is to die. */
export interface Death {
  /** At which write of snapshots, from 1 on, since the store was opened. */
  readonly write: number;
  /** Before the write, so many milliseconds after it has begun, or when it is on the disk. */
  readonly moment: "before" | "after" | number;
}

/**
 * A database in a process that kills itself at a place of its work that nobody else could meet.
 * @param counts whether the writes of now count
 */
export function dyingInCompaction(
  open: OpenDatabase,
  death: Death,
  counts: () => boolean,
): OpenDatabase {
  let writes = 0;
  return async (folder, options) => {
    const database = await open(folder, options);
    return {
      ...database,
      async write(operations) {
        if (counts() && isOfSnapshot(operations) && ++writes === death.write) {
          await dieIn(database, operations, death);
        }
        await database.write(operations);
      },
    };
  };
}

async function dieIn(
  database: Database,
  operations: readonly Operation[],
  { moment }: Death,
): Promise<void> {
  if (moment !== "before") {
    const written = database.write(operations);
    if (moment === "after") {
      await written;
    } else {
      const until = performance.now() + moment;
      // Other threads write meanwhile; a timer would be too coarse.
      while (performance.now() < until);
    }
  }
  process.kill(process.pid, "SIGKILL");
}

/** Its parts, its header, the marks of what it replaces, or the removal of that. */
function isOfSnapshot(operations: readonly Operation[]): boolean {
  return operations.some(({ key, value }) => {
    if (isIn(key, GARBAGE_MARKS)) return true;
    const { kind } = meaningOf(key);
    return kind === "snapshot" || kind === "part" || (kind === "update" && value === undefined);
  });
}
