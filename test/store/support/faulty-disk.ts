import type { Database, OpenDatabase, Operation, View } from "../../../src/store/database.ts";
import { openLevelDatabase } from "../../../src/store/level-database.ts";

/** What happens to a write: refused before it reaches the disk, or said to have failed after it did. */
export type WriteFault = "lost" | "written";

/**
 * LevelDB on a disk that fails when it is told to. Its errors are like LevelDB's own.
 */
export class FaultyDisk {
  /** Asked before each write with its number, from 1 on. */
  faultOf: (write: number) => WriteFault | undefined = () => undefined;
  /** Awaited before each write to the database in `folder`. */
  beforeWrite: (folder: string) => Promise<void> = async () => undefined;
  /** Awaited before the database is opened, while nobody has it open. */
  beforeOpen: (folder: string) => Promise<void> = async () => undefined;
  canOpen = true;
  /** With which code scans of the data fail, if at all. */
  readFault: "LEVEL_IO_ERROR" | "LEVEL_CORRUPTION" | undefined;
  opens = 0;
  readonly batches: (readonly Operation[])[] = [];

  readonly open: OpenDatabase = async (folder, options) => {
    this.opens += 1;
    if (!this.canOpen) throw diskError();
    await this.beforeOpen(folder);
    const database = await openLevelDatabase(folder, options);
    return {
      ...database,
      view: () => this.#view(database),
      write: (operations) => this.#write(database, folder, operations),
    };
  };

  /** Fails the writes from the next one on, until `heal`. */
  break(fault: WriteFault = "lost"): void {
    this.faultOf = () => fault;
  }

  heal(): void {
    this.faultOf = () => undefined;
    this.canOpen = true;
  }

  #view(database: Database): View {
    const view = database.view();
    return {
      get: (key) => view.get(key),
      getMany: (keys) => view.getMany(keys),
      keys: (range, options) => view.keys(range, options),
      entries: (range, options) => {
        const isData = /^[0-9a-f]{4}\//.test(range.from);
        if (this.readFault !== undefined && isData) throw diskError(this.readFault);
        return view.entries(range, options);
      },
      close: () => view.close(),
    };
  }

  async #write(
    database: Database,
    folder: string,
    operations: readonly Operation[],
  ): Promise<void> {
    this.batches.push(operations);
    const fault = this.faultOf(this.batches.length);
    await this.beforeWrite(folder);
    if (fault === "lost") throw diskError();
    await database.write(operations);
    if (fault === "written") throw diskError();
  }
}

function diskError(code = "LEVEL_IO_ERROR"): Error {
  return Object.assign(new Error(`as the disk says: ${code}`), { code });
}

/** A gate that holds what awaits it until it is opened. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
