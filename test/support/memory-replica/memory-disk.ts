import { LastingFailure } from "../../../client/lib/store/lasting-failure.ts";
import type { ReplicaMeta } from "../../../client/lib/store/replica-meta.ts";
import { emptyMeta } from "../../../client/lib/store/replica-meta.ts";
import type { OwnUpdate, StoreFailure } from "../../../client/lib/store/replica-store.ts";
import { StoreError } from "../../../client/lib/store/replica-store.ts";

/** What is on the disk. Arrays are never changed in place: who has read one may keep it. */
export interface DiskContents {
  meta: ReplicaMeta;
  state: readonly Uint8Array[];
  tail: readonly OwnUpdate[];
  outbox: readonly OwnUpdate[];
  readonly records: Map<string, string>;
}

function emptyContents(): DiskContents {
  return { meta: emptyMeta(), state: [], tail: [], outbox: [], records: new Map() };
}

/**
 * The disk that several memory stores share, like the tabs of a browser share a database. Tests make
 * it fail, fill up, hang or get lost.
 */
export class MemoryDisk {
  #contents = emptyContents();
  /** False from when it was lost until somebody begins it anew. */
  #isThere = true;
  /** Of the handles that are open. */
  readonly #handles = new Set<LastingFailure>();
  #fault: { readonly code: StoreFailure; readonly onlyWrites: boolean; times: number } | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #gate: Promise<void> = Promise.resolve();

  /** A handle of the store, to be told when the store is lost or a newer program takes it. */
  open(): LastingFailure {
    const handle = new LastingFailure();
    this.#handles.add(handle);
    this.#isThere = true;
    return handle;
  }

  /** What is there now, for a handle of a disk that was lost. @param create whether it is begun anew */
  takeAnew(handle: LastingFailure, create: boolean): void {
    if (handle.code !== "lost" || (!this.#isThere && !create)) return handle.check();
    this.#isThere = true;
    this.#handles.add(handle);
    handle.end();
  }

  /** Resolves when what was begun has ended. */
  async close(handle: LastingFailure): Promise<void> {
    this.#handles.delete(handle);
    await this.#queue;
  }

  /**
   * Does one operation of a handle after all that were begun before it. It is atomic: `task` must
   * throw before it changes anything, or not at all.
   */
  run<T>(
    handle: LastingFailure,
    kind: "read" | "write",
    task: (contents: DiskContents) => T,
  ): Promise<T> {
    const done = this.#queue
      .then(() => this.#gate)
      .then(() => {
        handle.check();
        this.#failIfTold(kind);
        return task(this.#contents);
      });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Makes the next operations fail, all of them until `recover` when nothing is said. */
  fail(code: StoreFailure, times = Infinity): void {
    this.#fault = { code, onlyWrites: false, times };
  }

  /** Writes fail with `full` until `recover`. */
  fill(): void {
    this.#fault = { code: "full", onlyWrites: true, times: Infinity };
  }

  recover(): void {
    this.#fault = undefined;
  }

  /** Nothing comes to an end any more until the answer is called. */
  hang(): () => void {
    let goOn: (() => void) | undefined;
    this.#gate = new Promise((resolve) => (goOn = resolve));
    return () => goOn?.();
  }

  /** Deletes everything; the handles that are open get to know that it is gone. */
  lose(): void {
    this.#contents = emptyContents();
    this.#isThere = false;
    this.#end(new StoreError("lost", "the memory disk was lost"));
  }

  /** A newer version of the program takes the store. */
  outdate(): void {
    this.#end(new StoreError("newer", "a newer version uses the memory disk"));
  }

  #end(error: StoreError): void {
    const handles = [...this.#handles];
    this.#handles.clear();
    for (const handle of handles) handle.set(error);
  }

  #failIfTold(kind: "read" | "write"): void {
    const fault = this.#fault;
    if (fault === undefined || (fault.onlyWrites && kind === "read")) return;
    fault.times -= 1;
    if (fault.times === 0) this.#fault = undefined;
    throw new StoreError(fault.code, `the memory disk was told to fail: ${fault.code}`);
  }
}
