import type { Outline } from "../../src/core/outline.ts";
import { DisconnectedError } from "./disconnected-error.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import type { LocalDeviceRecords } from "./local-device-records.ts";
import type { Platform } from "./platform.ts";
import type { Replica } from "./replica.ts";
import type { SharedReplica } from "./shared-replica.ts";
import type { Status } from "./status.ts";
import type { ReplicaStore } from "./store/replica-store.ts";

/** How long a store that has failed may take to close. */
const CLOSE_MS = 3_000;

/** A replica over a store: what is done here is stored, then sent, and kept until acknowledged. */
export class LocalReplica implements Replica {
  readonly records: LocalDeviceRecords;
  readonly #store: ReplicaStore;
  readonly #platform: Platform;
  readonly #shared: SharedReplica;
  /** Once it is asked for: who asks again waits for the same end. */
  #closing: Promise<void> | undefined;

  constructor(
    { store, platform }: { readonly store: ReplicaStore; readonly platform: Platform },
    records: LocalDeviceRecords,
    shared: SharedReplica,
  ) {
    this.#store = store;
    this.#platform = platform;
    this.records = records;
    this.#shared = shared;
  }

  get outline(): Outline {
    return this.#shared.current.outline;
  }

  get edits(): Edits {
    return this.#shared.current.edits;
  }

  get history(): History {
    return this.#shared.current.history;
  }

  get seq(): number {
    return this.#shared.position.seq;
  }

  get status(): Status {
    const { status } = this.#shared.status;
    return this.#isClosed && status.kind === "local" ? { ...status, cause: "closed" } : status;
  }

  onStatus(listener: (status: Status) => void): () => void {
    return this.#shared.status.onStatus(listener);
  }

  onReplaced(listener: () => void): () => void {
    return this.#shared.onReplaced(listener);
  }

  connect(): void {
    this.#shared.connect();
  }

  stored(): Promise<void> {
    return this.#isClosed ? alreadyClosed() : this.#shared.own.writer.stored();
  }

  saved(): Promise<void> {
    return this.#isClosed ? alreadyClosed() : this.#shared.status.saved();
  }

  caughtUp(): Promise<void> {
    return this.#isClosed ? alreadyClosed() : this.#shared.status.caughtUp();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  get #isClosed(): boolean {
    return this.#closing !== undefined;
  }

  async #close(): Promise<void> {
    this.#shared.current.closeEdits();
    try {
      await this.#shared.close();
    } catch (error) {
      // A store that hangs would not even close, and nobody would ever hear of it.
      await this.#closeStoreInTime();
      throw error;
    }
    await this.#closeStore();
  }

  async #closeStore(): Promise<void> {
    await this.records.settled();
    await this.#store.close();
  }

  async #closeStoreInTime(): Promise<void> {
    let stop: (() => void) | undefined;
    const tooLong = new Promise<void>((resolve) => {
      stop = this.#platform.setTimer(resolve, CLOSE_MS);
    });
    await Promise.race([this.#closeStore().catch(() => undefined), tooLong]);
    stop?.();
  }
}

function alreadyClosed(): Promise<never> {
  return Promise.reject(new DisconnectedError("closed"));
}
