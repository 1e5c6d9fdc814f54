import type { Outline } from "../../core/outline.ts";
import type { Repair } from "../../core/merge/repair.ts";
import { byteLengthOf } from "../log/byte-length.ts";
import type { Commit, CommitQueue } from "./commit-queue.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { Fence, LoadedOutline, Snapshot } from "../log/outline-log.ts";
import type { OutlineState } from "./outline-state.ts";
import { runInSlices } from "../turns/slices.ts";
import { openingMsOf, savedMsOf, type Tail, tailOf, tailWith, tailWithout } from "./tail.ts";
import { UnavailableError } from "../log/unavailable-error.ts";

export interface CompactionOptions {
  readonly ports: DocumentPorts;
  readonly fence: Fence;
  readonly state: OutlineState;
  readonly outline: Outline;
  readonly repair: Repair;
  readonly queue: CommitQueue;
  readonly isOpen: () => boolean;
}

/** About what making a snapshot takes, in milliseconds: its write, and each of its bytes, as opening does. */
const MAKING_MS = 5;
const MAKING_MS_PER_BYTE = 0.0001;

/**
 * Writes a snapshot whenever the log behind the last one outweighs it, or makes the outline long to
 * open: see `isDue`; and before the outline is let go, also for less. Works beside everything else, in
 * slices.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  #snapshotBytes: number;
  #tail: Tail;
  /** After a failure: not before the tail is longer than this. */
  #retryBytes = 0;
  #running: Promise<void> | undefined;

  /** @param snapshotBytes of the last snapshot; 0 when there is none */
  constructor(
    snapshotBytes: number,
    { updates }: Pick<LoadedOutline, "updates">,
    options: CompactionOptions,
  ) {
    this.#options = options;
    this.#snapshotBytes = snapshotBytes;
    this.#tail = tailOf(updates.map(({ update }) => update));
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when none is running; never rejects. */
  async finished(): Promise<void> {
    await this.#running;
  }

  /** Counts what was appended to the log. */
  add({ updates }: Commit): void {
    this.#tail = tailWith(this.#tail, tailOf(updates));
    this.startIfDue();
  }

  startIfDue(): void {
    if (this.#isDue) this.#start();
  }

  /**
   * To be called before the outline is let go. True when one is being written, which is worth it for
   * who opens the outline next.
   */
  startBeforeLetGo(): boolean {
    if (this.isWorthIt) this.#start();
    return this.isRunning;
  }

  /** Whether opening the outline again would take noticeably less with a snapshot of today. */
  get isWorthIt(): boolean {
    const { unloadTailMs } = this.#options.ports.limits;
    if (this.#tail.bytes <= this.#retryBytes) return false;
    return this.#isPaidFor && savedMsOf(this.#tail) > unloadTailMs;
  }

  /** About how many times what making such a snapshot takes it spares whoever opens the outline next. */
  get gain(): number {
    return savedMsOf(this.#tail) / this.makingMs;
  }

  /** About how long such a snapshot takes to make, in milliseconds. */
  get makingMs(): number {
    return MAKING_MS + (this.#snapshotBytes + this.#tail.bytes) * MAKING_MS_PER_BYTE;
  }

  #start(): void {
    const { ports, isOpen } = this.#options;
    if (this.isRunning || !isOpen()) return;
    this.#running = ports
      .whenFree(() => this.#run())
      .catch((error: unknown) => {
        // When the store failed, the next append will tell. Tried again after as much was written.
        this.#retryBytes = 2 * this.#tail.bytes;
        if (!(error instanceof UnavailableError)) ports.events.onDefect?.(error);
      })
      .finally(() => (this.#running = undefined));
  }

  get #isDue(): boolean {
    const { minCompactionBytes, longTailMs } = this.#options.ports.limits;
    const { bytes } = this.#tail;
    if (bytes <= this.#retryBytes) return false;
    if (bytes > Math.max(minCompactionBytes, this.#snapshotBytes)) return true;
    return this.#isPaidFor && openingMsOf(this.#tail) > longTailMs;
  }

  /**
   * A snapshot takes what the last one took and the log behind it, at most. So it stays below twice what
   * was written besides: no byte is written more than three times in the long run.
   */
  get #isPaidFor(): boolean {
    const { bytes, writtenBytes } = this.#tail;
    return this.#snapshotBytes + bytes <= 2 * writtenBytes;
  }

  async #run(): Promise<void> {
    const { ports, fence, outline, queue, isOpen } = this.#options;
    if (!isOpen()) return;
    const startedAt = ports.now();
    const making = outline.quota.reading(this.#make());
    const { snapshot, covered } = await runInSlices(making, ports.turns.snapshot);
    // Deletions that came meanwhile may be in it: they must be in the log as well.
    await queue.settled();
    if (!isOpen()) return;
    if (!(await ports.saveSnapshot(snapshot, fence))) return;
    this.#snapshotBytes = byteLengthOf(snapshot.chunks);
    this.#tail = tailWithout(this.#tail, covered);
    this.#retryBytes = 0;
    ports.events.onCompaction?.(ports.now() - startedAt, this.#snapshotBytes);
  }

  /** All of it is from the moment of the first step: what later updates add is behind it in the log. */
  *#make(): Generator<void, { readonly snapshot: Snapshot; readonly covered: Tail }> {
    const { state, outline, repair, queue } = this.#options;
    const chunks: Uint8Array[] = [];
    const seq = queue.lastSeq;
    const snapshot = {
      seq,
      chunks,
      stateVector: state.stateVector(),
      annex: repair.encode(seq),
      memoryBytes: outline.quota.bytes,
    };
    const covered = this.#tail;
    for (const chunk of state.chunks()) {
      chunks.push(chunk);
      yield;
    }
    return { snapshot, covered };
  }
}
