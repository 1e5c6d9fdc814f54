import type { OutlineId } from "../../src/core/node-key.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";
import { batchOf, isEmpty, joined, nothing, type Pending } from "./pending-writes.ts";
import type { Platform } from "./platform.ts";
import type { ClientChange } from "./store/client-changes.ts";
import {
  StoreError,
  type StoreFailure,
  type ReplicaPosition,
  type ReplicaReplacement,
  type ReplicaStore,
} from "./store/replica-store.ts";

/** The least time from one write to the next. */
const EVERY_MS = 200;
/** A write that takes longer is as good as failed, until it ends after all. */
const HANGS_AFTER_MS = 3_000;
/** Writes after which the store is asked whether compacting is worth it. */
const COMPACT_EVERY = 1_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

const LASTING: ReadonlySet<StoreFailure> = new Set(["lost", "newer", "refused"]);

export interface StoreWriterListener {
  /** Own edits are durable and have numbers. */
  onStored(edits: readonly OwnEdit[]): void;
  /** Own edits could not be stored, or not yet; they are tried again. Told again with each attempt. */
  onUnstored(edits: readonly OwnEdit[]): void;
  /** The store has begun to fail, or works again; or what was to take the place of a lost one is lost too. */
  onFailure(error: StoreError | undefined): void;
}

/**
 * Writes to the store in batches: at once when it was idle, else a fifth of a second after the last
 * one. What could not be written stays in front of what comes later, so that a position is never
 * stored before what it covers.
 */
export class StoreWriter {
  readonly #store: ReplicaStore;
  readonly #platform: Pick<Platform, "elapsed" | "setTimer">;
  readonly #listener: StoreWriterListener;
  /** Whether edits are sent as soon as they are stored. */
  isLive = false;
  #pending = nothing();
  /** Until it is in the store. */
  #replacement: Replacing | undefined;
  #writing: Promise<void> | undefined;
  /** Resolves when what is being written takes too long. */
  #hanging: Promise<void> | undefined;
  #lastAt = -Infinity;
  #failure: StoreError | undefined;
  /** Writes that failed in a row. */
  #failures = 0;
  #writes = 0;
  #stopTimer: (() => void) | undefined;
  #isAtRest = false;
  /** Whether the store has own edits that it does not say may have been sent. */
  #hasUnsent = false;
  /** What is being written. */
  #inWork: Pending | undefined;

  constructor(
    store: ReplicaStore,
    platform: Pick<Platform, "elapsed" | "setTimer">,
    listener: StoreWriterListener,
  ) {
    this.#store = store;
    this.#platform = platform;
    this.#listener = listener;
  }

  /** Begins to listen to what the store says of itself. Answers how to stop. */
  watch(): () => void {
    return this.#store.onFailure((error) => this.#fail(error));
  }

  /** Why the store does not work now. */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /** Own edits that are not durable on this device. */
  get unstored(): readonly OwnEdit[] {
    const replacing = this.#replacement?.own ?? [];
    return [...replacing, ...(this.#inWork?.own ?? []), ...this.#pending.own];
  }

  /** Numbers of own edits that are still in the store's outbox, though the server has them. */
  get leaving(): readonly number[] {
    return [...(this.#inWork?.settled ?? []), ...this.#pending.settled];
  }

  /** Whether the store still has another replica than the one that is being written to. */
  get isReplacing(): boolean {
    return this.#replacement !== undefined;
  }

  own(edit: OwnEdit): void {
    this.#pending.own.push(edit);
    this.#schedule();
  }

  received(update: Uint8Array, position: ReplicaPosition | undefined): void {
    this.#pending.received.push(update);
    if (position !== undefined) this.#pending.position = position;
    this.#schedule();
  }

  position(position: ReplicaPosition): void {
    this.#pending.position = position;
    this.#schedule();
  }

  /** @param edits which the server has; those among them that are not stored are no own edits now */
  settled(numbers: readonly number[], edits: ReadonlySet<string>): void {
    // There may be more than a call takes as arguments.
    this.#pending.settled = [...this.#pending.settled, ...numbers];
    if (edits.size === 0 && numbers.length === 0) return;
    const isOpen = ({ token }: OwnEdit): boolean => !edits.has(token);
    const closed = this.#pending.own.filter((edit) => !isOpen(edit));
    this.#pending.received = [...updatesOf(closed), ...this.#pending.received];
    this.#pending.own = this.#pending.own.filter(isOpen);
    if (this.#replacement !== undefined) {
      this.#replacement.own = this.#replacement.own.filter(isOpen);
    }
    this.#schedule();
  }

  /** Edits that there are may be sent now. The store hears of it with the next write, or soon. */
  sent(): void {
    if (!this.#hasUnsent && this.unstored.length === 0 && !this.isReplacing) return;
    this.#pending.isSent = true;
    this.#schedule();
  }

  /** @param hasUnsent whether it has edits that it does not say may have been sent */
  knows(hasUnsent: boolean): void {
    this.#hasUnsent = hasUnsent;
  }

  /** Stored with what is written next: an id that nothing is written under need not be known. */
  clients(changes: readonly ClientChange[]): void {
    this.#pending.clients = [...this.#pending.clients, ...changes];
  }

  outline(outline: OutlineId): void {
    this.#pending.outline = outline;
    this.#schedule();
  }

  /** Puts another replica in the place of the stored one, and forgets what waited to be stored. */
  replace(replacing: Replacing): void {
    this.#forget();
    this.#replacement = replacing;
    // The failures before are those of what it takes the place of.
    this.#failures = 0;
    this.#stopWaiting();
    this.#schedule();
  }

  /** Another tab has done so, and this one has read it: what waited is forgotten, but for `own`. */
  restart(own: readonly OwnEdit[]): void {
    this.#forget();
    this.#pending.own.push(...own);
    if (this.#failure?.code !== "newer") this.#set(undefined);
    if (own.length > 0) this.#schedule();
  }

  /** Begins to write what waits now, as far as nothing is being written. */
  flush(): void {
    this.#stopWaiting();
    if (this.#writing === undefined && this.#hasWork && !this.#isLasting) {
      this.#writing = this.#write();
    }
  }

  /** Resolves when all that was handed over is durable. @throws StoreError when it can't be now */
  async stored(): Promise<void> {
    if (this.#isLasting && this.#failure !== undefined) throw this.#failure;
    while (this.#hasWork || this.#writing !== undefined) {
      this.flush();
      await Promise.race([this.#writing, this.#hanging]);
      const isUndone = this.#hasWork || this.#writing !== undefined;
      if (this.#failure !== undefined && isUndone) throw this.#failure;
    }
  }

  /** Nothing is written any more by itself. */
  rest(): void {
    this.#isAtRest = true;
    this.#stopWaiting();
  }

  /** The store will not come back, unless another replica begins it anew: nothing is worth waiting for. */
  get #isLasting(): boolean {
    return this.#isLost && !this.isReplacing;
  }

  get #isLost(): boolean {
    return this.#failure !== undefined && LASTING.has(this.#failure.code);
  }

  get #retryMs(): number {
    if (this.#failures === 0) return 0;
    return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
  }

  get #hasWork(): boolean {
    return this.#replacement !== undefined || !isEmpty(this.#pending);
  }

  #schedule(): void {
    if (this.#isAtRest) return;
    if (isOutOfPlace(this.#failure)) return;
    // What is written behind another replica builds on it.
    if (this.#failure !== undefined && !this.isReplacing)
      this.#listener.onUnstored(this.#pending.own);
    if (this.#isLasting) {
      this.#pending = nothing();
      return;
    }
    if (this.#writing !== undefined || this.#stopTimer !== undefined) return;
    const idle = this.#platform.elapsed() - this.#lastAt;
    const waitMs = Math.max(0, EVERY_MS - idle, this.#retryMs);
    if (waitMs > 0) {
      this.#stopTimer = this.#platform.setTimer(() => this.flush(), waitMs);
      return;
    }
    // What else this turn of the program writes goes into the same batch.
    let isStopped = false;
    this.#stopTimer = () => {
      isStopped = true;
    };
    void Promise.resolve().then(() => (isStopped ? undefined : this.flush()));
  }

  #stopWaiting(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #write(): Promise<void> {
    const replacement = this.#replacement;
    const batch = this.#pending;
    this.#pending = nothing();
    this.#inWork = batch;
    const stopWatch = this.#watchHanging(batch, replacement);
    try {
      if (replacement !== undefined) await this.#writeReplacement(replacement);
      const numbers = await this.#writeBatch(batch);
      this.#failures = 0;
      this.#set(undefined);
      if (this.#inWork === batch) {
        this.#inWork = undefined;
        this.#storedNow(batch.own, numbers);
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (this.#inWork === batch) this.#pending = joined(batch, this.#pending);
      this.#failures += 1;
      this.#fail(error);
    } finally {
      stopWatch();
      if (this.#inWork === batch) this.#inWork = undefined;
      this.#writing = undefined;
      this.#lastAt = this.#platform.elapsed();
      if (this.#hasWork) this.#schedule();
    }
  }

  /** Says so when a write takes too long. Answers how to stop waiting for that. */
  #watchHanging(batch: Pending, replacement: Replacing | undefined): () => void {
    let stop: (() => void) | undefined;
    this.#hanging = new Promise((resolve) => {
      stop = this.#platform.setTimer(() => {
        if (this.#inWork === batch) {
          replacement?.onDelayed();
          this.#listener.onUnstored(batch.own);
        }
        this.#set(new StoreError("failed", "the store does not answer"));
        resolve();
      }, HANGS_AFTER_MS);
    });
    return () => stop?.();
  }

  async #writeReplacement(replacement: Replacing): Promise<void> {
    const own = updatesOf(replacement.own);
    const numbers = await this.#store.replace({ ...replacement.make(), own });
    const isNewest = this.#replacement === replacement;
    if (isNewest) this.#replacement = undefined;
    this.#hasUnsent = numbers.length > 0;
    replacement.onDone(numbers);
    // The lost store has ended here: what is written during the batch behind this waits for its turn.
    if (isNewest) this.#set(undefined);
  }

  /** Answers the numbers of its own edits. */
  async #writeBatch(batch: Pending): Promise<readonly number[]> {
    if (this.isLive && batch.own.length > 0) batch.isSent = true;
    const numbers = isEmpty(batch) ? [] : await this.#store.write(batchOf(batch));
    if (batch.isSent) this.#hasUnsent = false;
    else if (numbers.length > 0) this.#hasUnsent = true;
    this.#writes += 1;
    // What fails there fails here too, and is told then.
    if (this.#writes % COMPACT_EVERY === 0) void this.#store.compact().catch(() => undefined);
    return numbers;
  }

  /** What is written now is written for nothing, and must not be told. */
  #forget(): void {
    this.#pending = nothing();
    this.#inWork = undefined;
    this.#replacement = undefined;
  }

  #storedNow(edits: readonly OwnEdit[], numbers: readonly number[]): void {
    if (edits.length === 0) return;
    const stored = edits.map((edit, index) => ({ ...edit, number: numbers[index] }));
    this.#listener.onStored(stored);
  }

  #fail(error: StoreError): void {
    this.#set(error);
    if (isOutOfPlace(error)) return;
    const replacement = this.#replacement;
    replacement?.onDelayed();
    this.#listener.onUnstored(this.#pending.own);
    if (replacement === undefined || !this.#isLost) return;
    this.#replacement = undefined;
    this.#listener.onFailure(error);
  }

  #set(failure: StoreError | undefined): void {
    const isNews = failure?.code !== this.#failure?.code;
    this.#failure = failure;
    if (isNews) this.#listener.onFailure(failure);
  }
}

/** A replica that is to take the place of the stored one. */
interface Replacing {
  /** Edits that go into the store with it, and that the server has not got meanwhile. */
  own: readonly OwnEdit[];
  /** Made when it is written, with all that has come until then. */
  make(): Omit<ReplicaReplacement, "own">;
  onDone(numbers: readonly number[]): void;
  /** It is not stored yet; it is tried again. Told once at most. */
  onDelayed(): void;
}

/** What this tab wants to store is for a replica that is there no more: it has to read first. */
function isOutOfPlace(error: StoreError | undefined): boolean {
  return error?.code === "replaced";
}
