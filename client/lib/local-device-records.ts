import type { DeviceRecords } from "./device-records.ts";
import type { ReplicaStore } from "./store/replica-store.ts";

/** Records in the replica's store. One write at a time; of each name only the newest value waits. */
export class LocalDeviceRecords implements DeviceRecords {
  readonly #store: ReplicaStore;
  /** What was read or written, as it is now: to be written once more when the store is another one. */
  readonly #known = new Map<string, unknown>();
  readonly #waiting = new Map<string, { readonly value: unknown }>();
  #writing: Promise<void> | undefined;

  constructor(store: ReplicaStore) {
    this.#store = store;
  }

  async read(name: string): Promise<unknown> {
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) return waiting.value;
    try {
      const value = await this.#store.readRecord(name);
      if (!this.#known.has(name)) this.#known.set(name, value);
      return value;
    } catch {
      // What belongs to the device alone is no reason to fail: it has no value then.
      return undefined;
    }
  }

  write(name: string, value: unknown): void {
    this.#known.set(name, value);
    this.#waiting.set(name, { value });
    this.#writing ??= this.#write();
  }

  /** The store has begun anew: it gets what this page knows. */
  writeAll(): void {
    for (const [name, value] of this.#known) this.write(name, value);
  }

  /** Resolves when nothing waits to be written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // What else this turn writes under the same name takes its place.
    await Promise.resolve();
    for (const [name, written] of this.#waiting) {
      try {
        await this.#store.writeRecord(name, written.value);
      } catch {
        // Told by the replica's own writes, which fail too.
      }
      const newest = this.#waiting.get(name);
      this.#waiting.delete(name);
      // Written meanwhile: behind the others the loop meets it once more.
      if (newest !== undefined && newest !== written) this.#waiting.set(name, newest);
    }
    this.#writing = undefined;
  }
}
