/**
 * What the level driver needs from an ordered key-value database: the seam at which tests fail,
 * delay and count what the driver does to its disk.
 */

/** From `from` (inclusive) to `to` (exclusive), in the order of their UTF-8 bytes. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** A put; without a value a delete. */
export interface Operation {
  readonly key: string;
  readonly value?: Uint8Array;
}

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
}

export interface ScanOptions {
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** The database as it was at one moment. Must be closed. */
export interface View {
  get(key: string): Promise<Uint8Array | undefined>;
  getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** In pages that are small enough to work through in one go; never an empty one. */
  entries(range: KeyRange, options?: ScanOptions): AsyncIterable<readonly Entry[]>;
  keys(range: KeyRange, options?: ScanOptions): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

export interface Database {
  view(): View;
  /** All of it or nothing, in this order; on stable storage and visible once it resolves. */
  write(operations: readonly Operation[]): Promise<void>;
  /** Waits for what is under way. Does nothing the second time. */
  close(): Promise<void>;
}

/** Answers a query, all of which sees the database as it is at one moment. */
export async function reading<T>(
  database: Database,
  query: (view: View) => Promise<T>,
): Promise<T> {
  const view = database.view();
  try {
    return await query(view);
  } finally {
    await view.close();
  }
}

export interface OpenDatabaseOptions {
  /** Without it there has to be a database. */
  readonly create: boolean;
  /**
   * A folder of its own for whatever is written: what is in the other one stays byte for byte as it
   * is. It is emptied first, and removed when the database is closed.
   */
  readonly apart?: string;
}

/** Opens the database in a folder. */
export type OpenDatabase = (folder: string, options: OpenDatabaseOptions) => Promise<Database>;
