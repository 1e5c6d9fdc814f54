import { compactUpdates, isWorthCompacting } from "./compaction.ts";
import type { LastingFailure } from "./lasting-failure.ts";
import type { DiskContents } from "./memory-disk.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { ReadMark } from "./read-mark.ts";
import { recordOf, textOfRecord } from "./record-text.ts";
import type { OwnUpdate, ReplicaBatch, ReplicaStore, StoredReplica } from "./replica-store.ts";
import { StoreError } from "./replica-store.ts";

type Replacement = Parameters<ReplicaStore["replace"]>[0];

/**
 * A store that is gone when the program ends: for tests, and for a device that can store nothing.
 * Stores of the same disk are handles of the same replica.
 */
export class MemoryReplicaStore implements ReplicaStore {
  readonly #disk: MemoryDisk;
  readonly #failure: LastingFailure;
  readonly #mark = new ReadMark();
  /** Of the replica that this handle knows; undefined: whichever is there. */
  #generation: number | undefined;
  #isClosed = false;

  constructor(disk = new MemoryDisk()) {
    this.#disk = disk;
    this.#failure = disk.open();
  }

  read(): Promise<StoredReplica> {
    return this.#run("read", (contents) => {
      this.#mark.restart();
      this.#generation = contents.generation;
      const { position, outline, leases, outbox } = contents;
      return { position, outline, leases, outbox, updates: this.#updates({ ...contents }) };
    });
  }

  write(batch: ReplicaBatch): Promise<readonly number[]> {
    return this.#run("write", (contents) => {
      this.#requireKnown(contents);
      this.#append(contents, batch.received);
      const own = this.#append(contents, batch.own);
      const settled = new Set(batch.settled);
      const outbox = contents.outbox.filter(({ number }) => !settled.has(number));
      contents.outbox = [...outbox, ...own];
      contents.position = batch.position ?? contents.position;
      contents.outline = batch.outline ?? contents.outline;
      contents.leases = batch.leases ?? contents.leases;
      return own.map(({ number }) => number);
    });
  }

  readNew(): Promise<readonly Uint8Array[]> {
    return this.#run("read", (contents) => {
      this.#requireKnown(contents);
      const { state, stateUpTo, tail } = contents;
      const hasMissed = stateUpTo > this.#mark.upTo;
      const added = tail.filter(({ number }) => this.#mark.isNew(number));
      this.#mark.read(contents.nextNumber - 1);
      return [...(hasMissed ? state : []), ...added.map(({ update }) => update)];
    });
  }

  async compact(): Promise<void> {
    const { state, tail, stateUpTo, generation } = await this.#run("read", (contents) => {
      this.#requireKnown(contents);
      return { ...contents };
    });
    const size = {
      stateBytes: byteLength(state),
      tailBytes: byteLength(tail.map(({ update }) => update)),
      tailUpdates: tail.length,
    };
    if (!isWorthCompacting(size)) return;
    const upTo = tail.at(-1)?.number ?? stateUpTo;
    const compacted = await this.#compacted([...state, ...tail.map(({ update }) => update)]);
    await this.#run("write", (contents) => {
      // Another handle was quicker.
      if (contents.generation !== generation || contents.stateUpTo !== stateUpTo) return;
      contents.state = compacted;
      contents.stateUpTo = upTo;
      contents.tail = contents.tail.filter(({ number }) => number > upTo);
    });
  }

  replace({ updates, own, position, leases }: Replacement): Promise<readonly number[]> {
    return this.#run("write", (contents) => {
      this.#requireKnown(contents);
      contents.generation += 1;
      this.#generation = contents.generation;
      contents.state = [];
      contents.stateUpTo = 0;
      contents.tail = [];
      this.#append(contents, updates);
      contents.outbox = this.#append(contents, own);
      this.#mark.read(contents.nextNumber - 1);
      contents.position = position;
      contents.leases = leases;
      return contents.outbox.map(({ number }) => number);
    });
  }

  readRecord(name: string): Promise<unknown> {
    return this.#run("read", ({ records }) => recordOf(records.get(name)));
  }

  async writeRecord(name: string, value: unknown): Promise<void> {
    const text = textOfRecord(name, value);
    await this.#run("write", ({ records }) => {
      if (text === undefined) records.delete(name);
      else records.set(name, text);
    });
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    return this.#failure.onFailure(listener);
  }

  async destroy(): Promise<void> {
    await this.#run("write", () => undefined);
    await this.close();
    this.#disk.lose();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disk.close(this.#failure);
  }

  async #run<T>(kind: "read" | "write", task: (contents: DiskContents) => T): Promise<T> {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    this.#failure.check();
    return this.#disk.run(this.#failure, kind, task);
  }

  #requireKnown({ generation }: DiskContents): void {
    this.#generation ??= generation;
    if (this.#generation === generation) return;
    throw new StoreError("replaced", "another replica is in the place of this one");
  }

  #append(contents: DiskContents, updates: readonly Uint8Array[] = []): readonly OwnUpdate[] {
    const added = updates.map((update) => {
      const number = contents.nextNumber++;
      this.#mark.wrote(number);
      return { number, update: update.slice() };
    });
    contents.tail = [...contents.tail, ...added];
    return added;
  }

  async *#updates({ state, tail, nextNumber, generation }: DiskContents) {
    yield* state;
    for (const { update } of tail) yield update;
    if (this.#generation === generation) this.#mark.read(nextNumber - 1);
  }

  async #compacted(updates: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    try {
      return await compactUpdates(eachOf(updates), async () => undefined);
    } catch (cause) {
      throw new StoreError("failed", "what is stored is no replica", { cause });
    }
  }
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

function byteLength(updates: readonly Uint8Array[]): number {
  return updates.reduce((sum, update) => sum + update.byteLength, 0);
}
