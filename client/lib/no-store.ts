import type {
  ReplicaNews,
  ReplicaStore,
  StoredReplica,
  StoreError,
  StoreFailure,
} from "./store/replica-store.ts";

const NOTHING = { position: { epoch: "", seq: 0 }, clients: [], outbox: [] } as const;

/**
 * Stands for a store that can't be had: it holds nothing and takes nothing. A replica over it works,
 * sends what is done to the server, and says that this device stores nothing.
 */
export class NoStore implements ReplicaStore {
  readonly #error: StoreError;

  constructor(error: StoreError) {
    this.#error = error;
  }

  /** Whether a program can do without the store that failed so: nobody else has it, or is needed. */
  static canReplace(failure: StoreFailure): boolean {
    return failure === "refused" || failure === "full" || failure === "failed";
  }

  async read(): Promise<StoredReplica> {
    return { ...NOTHING, generation: 0, sentUpTo: 0, outline: undefined, updates: nothing() };
  }

  async write(): Promise<never> {
    throw this.#error;
  }

  async readNew(): Promise<ReplicaNews> {
    return { ...NOTHING, updates: [] };
  }

  async compact(): Promise<void> {}

  async replace(): Promise<never> {
    throw this.#error;
  }

  async beginAnew(): Promise<never> {
    throw this.#error;
  }

  async readRecord(): Promise<undefined> {
    return undefined;
  }

  async writeRecord(): Promise<never> {
    throw this.#error;
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    listener(this.#error);
    return () => undefined;
  }

  async destroy(): Promise<void> {}

  async close(): Promise<void> {}
}

async function* nothing(): AsyncGenerator<never, void> {}
