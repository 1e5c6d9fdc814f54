import type { OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { DisconnectedError } from "./disconnected-error.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import type { Leading } from "./leading.ts";
import { loadStored, outlineInSlices } from "./load-replica.ts";
import { LocalDeviceRecords } from "./local-device-records.ts";
import type { Platform } from "./platform.ts";
import type { EditingOf } from "./replica-document.ts";
import type { Replica } from "./replica.ts";
import { ServerClock } from "./server-clock.ts";
import { SharedReplica } from "./shared-replica.ts";
import type { Status } from "./status.ts";
import type { ReplicaStore } from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";
import { TabLink } from "./tab-link.ts";

export interface ReplicaParts {
  readonly store: ReplicaStore;
  readonly tabs: TabGroup;
  readonly platform: Platform;
  readonly editing: EditingOf;
  /** Whose outline it is, when the caller knows. */
  readonly outline?: OutlineId | undefined;
  readonly loadLeading: () => Promise<Leading>;
  readonly onPartMissing?: (() => void) | undefined;
  readonly mayStoreAnew?: (() => boolean) | undefined;
}

/** Names an outline nobody has, until it is known whose replica it is. */
const UNKNOWN_OUTLINE = "00000000000080008000" as OutlineId;

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

  private constructor(
    { store, platform }: ReplicaParts,
    records: LocalDeviceRecords,
    shared: SharedReplica,
  ) {
    this.#store = store;
    this.#platform = platform;
    this.records = records;
    this.#shared = shared;
  }

  /**
   * Reads the store, in slices, and begins to connect when no other tab does. Closes what it was given
   * when that fails.
   * @throws StoreError when the store can't be read
   */
  static async open(parts: ReplicaParts): Promise<LocalReplica> {
    const { store, tabs, platform, editing } = parts;
    const link = new TabLink(tabs);
    try {
      const { stored, doc } = await loadStored(store, platform);
      const id = stored.outline ?? parts.outline ?? (await askOutline(platform));
      const records = new LocalDeviceRecords(store);
      const clock = new ServerClock(platform, records);
      await clock.read();
      const outline = await outlineInSlices(doc, id ?? UNKNOWN_OUTLINE, platform, clock);
      const { loadLeading, onPartMissing, mayStoreAnew } = parts;
      const given = { loadLeading, onPartMissing, mayStoreAnew };
      const sharedParts = { store, tabs, link, platform, clock, editing, records, ...given };
      const shared = new SharedReplica(sharedParts, outline, id, stored);
      await shared.start(stored, await shared.status.readSince());
      return new LocalReplica(parts, records, shared);
    } catch (error) {
      link.close();
      await store.close().catch(() => undefined);
      throw error;
    }
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

/** Whose outline the key opens: asked for a new store, which does not know. */
async function askOutline({ askSession }: Platform): Promise<OutlineId | undefined> {
  const reply = await askSession();
  return reply.kind === "signed_in" ? reply.outline : undefined;
}

function alreadyClosed(): Promise<never> {
  return Promise.reject(new DisconnectedError("closed"));
}
