import type { Database, Operation } from "../../src/store/database.ts";
import { openLevelDatabase } from "../../src/store/level/level-database.ts";

/**
 * The least that makes appends durable: LevelDB, set up as the store has it, and one synced batch at
 * a time, with what arrives meanwhile in the next. No numbers, heads, checksums, epochs or limits.
 */
export class BareGroupCommit {
  readonly #database: Database;
  #waiting: { readonly operation: Operation; readonly done: () => void }[] = [];
  #isRunning = false;
  #next = 0;

  static async open(folder: string): Promise<BareGroupCommit> {
    return new BareGroupCommit(await openLevelDatabase(folder, { create: true }));
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  append(value: Uint8Array): Promise<void> {
    const key = (this.#next += 1).toString(16).padStart(12, "0");
    return new Promise((done) => {
      this.#waiting.push({ operation: { key, value }, done });
      if (this.#isRunning) return;
      this.#isRunning = true;
      queueMicrotask(() => void this.#run());
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#database.write(batch.map(({ operation }) => operation));
      for (const { done } of batch) done();
    }
    this.#isRunning = false;
  }
}
