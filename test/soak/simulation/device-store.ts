import type {
  ReplicaBatch,
  ReplicaNews,
  ReplicaReplacement,
  ReplicaStore,
  StoredReplica,
  StoreError,
} from "../../../client/lib/store/replica-store.ts";
import { integerBelow } from "../../support/seeded-random.ts";
import type { Program } from "./program.ts";

export interface DeviceStoreOptions {
  readonly inner: ReplicaStore;
  readonly program: Program;
  /** Told of own updates that are durable on the device, even when the program does not hear of it. */
  readonly onStored: (own: readonly Uint8Array[]) => void;
  /** What the program gets to read in the place of what is stored; for controls. */
  readonly altered: (stored: StoredReplica) => StoredReplica;
}

/**
 * The store of one run of a device's program: every access takes its time, and when the program is
 * killed meanwhile, what it was writing is on the disk or is not, and nobody hears of it.
 */
export class DeviceStore implements ReplicaStore {
  readonly #options: DeviceStoreOptions;
  readonly #random: () => number;
  #last: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(options: DeviceStoreOptions) {
    this.#options = options;
    this.#random = options.program.agenda.fork();
    options.program.onDeath(() => this.#onDeath());
  }

  /** What the write does that is under way. */
  #write: (() => Promise<unknown>) | undefined;

  get isWriting(): boolean {
    return this.#isWriting;
  }

  async read(): Promise<StoredReplica> {
    await this.#turn();
    return this.#options.altered(await this.#heard(this.#options.inner.read()));
  }

  write(batch: ReplicaBatch): Promise<readonly number[]> {
    return this.#writing(async () => {
      const numbers = await this.#options.inner.write(batch);
      this.#options.onStored(batch.own ?? []);
      return numbers;
    });
  }

  async readNew(): Promise<ReplicaNews> {
    await this.#turn();
    return this.#heard(this.#options.inner.readNew());
  }

  async compact(): Promise<void> {
    await this.#turn();
    return this.#heard(this.#options.inner.compact());
  }

  replace(replica: ReplicaReplacement): Promise<readonly number[]> {
    return this.#writing(async () => {
      const numbers = await this.#options.inner.replace(replica);
      this.#options.onStored(replica.own);
      return numbers;
    });
  }

  beginAnew(): Promise<void> {
    return this.#writing(() => this.#options.inner.beginAnew());
  }

  async readRecord(name: string): Promise<unknown> {
    await this.#turn();
    return this.#heard(this.#options.inner.readRecord(name));
  }

  async writeRecord(name: string, value: unknown): Promise<void> {
    await this.#turn();
    return this.#heard(this.#options.inner.writeRecord(name, value));
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    return this.#options.inner.onFailure(listener);
  }

  destroy(): Promise<void> {
    return this.#options.inner.destroy();
  }

  close(): Promise<void> {
    return this.#options.inner.close();
  }

  async #writing<T>(write: () => Promise<T>): Promise<T> {
    await this.#turn(() => (this.#write = write));
    this.#write = undefined;
    return this.#heard(write());
  }

  /** What the disk says, slow as it may be, while the program lives: a killed one hears nothing. */
  async #heard<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      if (this.#options.program.isOver) await new Promise(() => undefined);
    }
  }

  /** One access after the other, each after some time. */
  #turn(begin: () => void = () => undefined): Promise<void> {
    const { program } = this.#options;
    const ms = 1 + integerBelow(this.#random, this.#random() < 0.1 ? 60 : 6);
    this.#last = this.#last.then(() => {
      begin();
      this.#isWriting = true;
      return program.wait(ms).then(() => void (this.#isWriting = false));
    });
    return this.#last;
  }

  #onDeath(): void {
    const write = this.#write;
    this.#write = undefined;
    // What fails here is heard by nobody.
    if (write !== undefined && this.#random() < 0.5) write().catch(() => undefined);
  }
}
