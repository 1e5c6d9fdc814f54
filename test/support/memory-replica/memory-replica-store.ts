import { compactUpdates } from "../../../client/lib/store/compact-updates.ts";
import { isWorthCompacting } from "../../../client/lib/store/compaction.ts";
import type { LastingFailure } from "../../../client/lib/store/lasting-failure.ts";
import type { DiskContents } from "./memory-disk.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { ReadMark } from "../../../client/lib/store/read-mark.ts";
import { recordOf, textOfRecord } from "../../../client/lib/store/record-text.ts";
import type { PlannedWrite } from "../../../client/lib/store/replica-meta.ts";
import {
  headOf,
  planBeginning,
  planCompaction,
  planReplacement,
  planWrite,
} from "../../../client/lib/store/replica-meta.ts";
import type {
  ReplicaBatch,
  ReplicaNews,
  ReplicaReplacement,
  ReplicaStore,
  StoredReplica,
} from "../../../client/lib/store/replica-store.ts";
import { StoreError } from "../../../client/lib/store/replica-store.ts";
import { WriteQueue } from "../../../client/lib/store/write-queue.ts";

/**
 * A store that is gone when the program ends. Stores of the same disk are handles of the same replica.
 */
export class MemoryReplicaStore implements ReplicaStore {
  readonly #disk: MemoryDisk;
  readonly #failure: LastingFailure;
  readonly #writes = new WriteQueue();
  readonly #mark = new ReadMark();
  /** Of the replica that this handle knows; undefined: whichever is there. */
  #generation: number | undefined;
  #isClosed = false;

  constructor(disk = new MemoryDisk()) {
    this.#disk = disk;
    this.#failure = disk.open();
  }

  async read(): Promise<StoredReplica> {
    if (!this.#isClosed) this.#disk.takeAnew(this.#failure, false);
    return this.#run("read", (contents) => {
      const { meta, outbox } = contents;
      this.#generation = meta.generation;
      return { ...headOf(meta), outbox, updates: this.#updates({ ...contents }) };
    });
  }

  write(batch: ReplicaBatch): Promise<readonly number[]> {
    return this.#write((contents) => {
      const planned = planWrite(contents.meta, batch);
      const settled = new Set(batch.settled);
      contents.outbox = contents.outbox.filter(({ number }) => !settled.has(number));
      return this.#append(contents, planned);
    });
  }

  readNew(): Promise<ReplicaNews> {
    return this.#run("read", (contents) => {
      this.#requireKnown(contents);
      const { meta, state, tail, outbox } = contents;
      const missed = meta.stateUpTo > this.#mark.upTo ? state : [];
      const added = tail.filter(({ number }) => this.#mark.isNew(number));
      this.#mark.read(meta.lastNumber);
      const updates = [...missed, ...added.map(({ update }) => update)];
      return { ...headOf(meta), outbox, updates };
    });
  }

  async compact(): Promise<void> {
    const { meta, state, tail } = await this.#run("read", (contents) => {
      this.#requireKnown(contents);
      return { ...contents };
    });
    if (!isWorthCompacting(meta)) return;
    const chunks = await compacted([...state, ...tail.map(({ update }) => update)]);
    await this.#run("write", (contents) => {
      const planned = planCompaction(contents.meta, { meta, chunks });
      if (planned === undefined) return;
      contents.meta = planned;
      contents.state = chunks;
      contents.tail = contents.tail.filter(({ number }) => number > meta.lastNumber);
    });
  }

  replace(replacement: ReplicaReplacement): Promise<readonly number[]> {
    return this.#write((contents) => {
      const planned = planReplacement(contents.meta, replacement);
      contents.state = [];
      contents.tail = [];
      contents.outbox = [];
      this.#generation = planned.meta.generation;
      this.#mark.read(contents.meta.lastNumber);
      return this.#append(contents, planned);
    });
  }

  async beginAnew(): Promise<void> {
    if (!this.#isClosed) this.#disk.takeAnew(this.#failure, true);
    await this.#run("write", (contents) => {
      const lost = { generation: this.#generation ?? 0, lastNumber: this.#mark.upTo };
      contents.meta = planBeginning(contents.meta, lost);
      this.#generation = contents.meta.generation;
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
    await this.#writes.idle();
    await this.#disk.close(this.#failure);
  }

  async #run<T>(kind: "read" | "write", task: (contents: DiskContents) => T): Promise<T> {
    this.#requireOpen();
    return this.#disk.run(this.#failure, kind, task);
  }

  async #write(task: (contents: DiskContents) => readonly number[]): Promise<readonly number[]> {
    this.#requireOpen();
    return this.#writes.run(() =>
      this.#disk.run(this.#failure, "write", (contents) => {
        this.#requireKnown(contents);
        return task(contents);
      }),
    );
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    this.#failure.check();
  }

  #requireKnown({ meta: { generation } }: DiskContents): void {
    this.#generation ??= generation;
    if (this.#generation === generation) return;
    throw new StoreError("replaced", "another replica is in the place of this one");
  }

  #append(contents: DiskContents, { meta, added, own }: PlannedWrite): readonly number[] {
    // Who gave the bytes may use their memory again.
    const copies = added.map(({ number, update }) => ({ number, update: update.slice() }));
    for (const { number } of copies) this.#mark.wrote(number);
    contents.meta = meta;
    contents.tail = [...contents.tail, ...copies];
    contents.outbox = [...contents.outbox, ...copies.slice(copies.length - own.length)];
    return own.map(({ number }) => number);
  }

  async *#updates({ meta, state, tail }: DiskContents): AsyncGenerator<Uint8Array, void> {
    yield* state;
    for (const { update } of tail) yield update;
    if (this.#generation === meta.generation) this.#mark.read(meta.lastNumber);
  }
}

async function compacted(updates: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  try {
    return await compactUpdates(eachOf(updates), async () => undefined);
  } catch (cause) {
    throw new StoreError("failed", "what is stored is no replica", { cause });
  }
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
