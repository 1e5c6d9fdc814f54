import type { Outline } from "../core/outline.ts";
import type { Repair } from "../core/repair.ts";
import type { Commit, CommitQueue } from "./commit-queue.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { Fence, LoadedOutline, Snapshot } from "./outline-log.ts";
import type { OutlineState } from "./outline-state.ts";
import { runInSlices } from "./slices.ts";
import { openingMsOf, type Tail, tailOf, tailWith, tailWithout } from "./tail.ts";
import { UnavailableError } from "./unavailable-error.ts";

export interface CompactionOptions {
  readonly ports: DocumentPorts;
  readonly fence: Fence;
  readonly state: OutlineState;
  readonly outline: Outline;
  readonly repair: Repair;
  readonly queue: CommitQueue;
  readonly isOpen: () => boolean;
}

/**
 * Writes a snapshot whenever the log behind the last one outweighs it, or makes the outline long to
 * open: see `isDue`. Works beside everything else, in slices.
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
    const { ports, isOpen } = this.#options;
    if (this.#running !== undefined || !this.#isDue || !isOpen()) return;
    this.#running = ports
      .whenFree(() => this.#run())
      .catch((error: unknown) => {
        // When the store failed, the next append will tell. Tried again after as much was written.
        this.#retryBytes = 2 * this.#tail.bytes;
        if (!(error instanceof UnavailableError)) ports.events.onDefect?.(error);
      })
      .finally(() => (this.#running = undefined));
  }

  /**
   * A snapshot takes what the last one took and the log behind it, at most. So in both cases it stays
   * below twice what was written besides: no byte is written more than three times in the long run.
   */
  get #isDue(): boolean {
    const { minCompactionBytes, longTailMs } = this.#options.ports.limits;
    const { bytes, writtenBytes } = this.#tail;
    if (bytes <= this.#retryBytes) return false;
    if (bytes > Math.max(minCompactionBytes, this.#snapshotBytes)) return true;
    const isPaidFor = this.#snapshotBytes + bytes <= 2 * writtenBytes;
    return isPaidFor && openingMsOf(this.#tail) > longTailMs;
  }

  async #run(): Promise<void> {
    const { ports, fence, outline, queue, isOpen } = this.#options;
    if (!isOpen()) return;
    const startedAt = ports.now();
    const making = outline.reading(this.#make());
    const { snapshot, covered } = await runInSlices(making, ports.turns.snapshot);
    // Deletions that came meanwhile may be in it: they must be in the log as well.
    await queue.settled();
    if (!isOpen()) return;
    if (!(await ports.saveSnapshot(snapshot, fence))) return;
    this.#snapshotBytes = sum(snapshot.chunks);
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
      memoryBytes: outline.bytes,
    };
    const covered = this.#tail;
    for (const chunk of state.chunks()) {
      chunks.push(chunk);
      yield;
    }
    return { snapshot, covered };
  }
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}
