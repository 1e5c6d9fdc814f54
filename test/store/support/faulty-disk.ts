import type {
  Database,
  Entry,
  KeyRange,
  OpenDatabase,
  Operation,
  View,
} from "../../../src/store/database.ts";
import { openLevelDatabase } from "../../../src/store/level/level-database.ts";

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
  /** Awaited before each page of entries that is read from the database in `folder`. */
  beforePage: (folder: string) => Promise<void> = async () => undefined;
  /** Awaited after each scan of keys. */
  afterKeys: (range: KeyRange) => Promise<void> = async () => undefined;
  opens = 0;
  /** How many reads have come to their end. */
  reads = 0;
  readonly batches: (readonly Operation[])[] = [];

  readonly open: OpenDatabase = async (folder, options) => {
    this.opens += 1;
    if (!this.canOpen) throw diskError();
    await this.beforeOpen(folder);
    const database = await openLevelDatabase(folder, options);
    return {
      ...database,
      view: () => this.#view(database, folder),
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

  #view(database: Database, folder: string): View {
    const view = database.view();
    return {
      get: (key) => view.get(key),
      getMany: (keys) => view.getMany(keys),
      keys: (range, options) => this.#keys(view.keys(range, options), range),
      entries: (range, options) => this.#entries(view.entries(range, options), range, folder),
      close: async () => {
        await view.close();
        this.reads += 1;
      },
    };
  }

  async *#keys(pages: AsyncIterable<readonly string[]>, range: KeyRange) {
    try {
      yield* pages;
    } finally {
      await this.afterKeys(range);
    }
  }

  async *#entries(pages: AsyncIterable<readonly Entry[]>, range: KeyRange, folder: string) {
    const isData = /^[0-9a-f]{4}\//.test(range.from);
    if (this.readFault !== undefined && isData) throw diskError(this.readFault);
    for await (const page of pages) {
      await this.beforePage(folder);
      yield page;
    }
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

export function diskError(code = "LEVEL_IO_ERROR"): Error {
  return Object.assign(new Error(`as the disk says: ${code}`), { code });
}

/** A gate that holds what awaits it until it is opened. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
