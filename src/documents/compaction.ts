import * as Y from "yjs";
import type { Repair } from "../core/repair.ts";
import { stateChunks } from "../core/state-chunks.ts";
import type { Commit, CommitQueue } from "./commit-queue.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { LoadedOutline } from "./outline-log.ts";
import { runInSlices } from "./slices.ts";
import { UnavailableError } from "./unavailable-error.ts";

export interface CompactionOptions {
  readonly ports: DocumentPorts;
  readonly epoch: string;
  readonly doc: Y.Doc;
  readonly repair: Repair;
  readonly queue: CommitQueue;
  readonly isOpen: () => boolean;
}

/**
 * Writes a snapshot whenever the log behind the last one outweighs it: then no byte is written more
 * than three times in the long run. Works beside everything else, in slices.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  #snapshotBytes: number;
  #tailBytes: number;
  #running: Promise<void> | undefined;

  constructor(stored: LoadedOutline, options: CompactionOptions) {
    this.#options = options;
    this.#snapshotBytes = sum(stored.snapshot?.chunks ?? []);
    this.#tailBytes = sum(stored.updates.map(({ update }) => update));
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
    this.#tailBytes += sum(updates);
    this.startIfDue();
  }

  startIfDue(): void {
    const { ports, isOpen } = this.#options;
    const due = Math.max(ports.limits.minCompactionBytes, this.#snapshotBytes);
    if (this.#running !== undefined || this.#tailBytes <= due || !isOpen()) return;
    this.#running = ports
      .whenFree(() => this.#run())
      .catch((error: unknown) => {
        // When the store failed, the next append will tell. Tried again after as much was written.
        this.#snapshotBytes = Math.max(this.#snapshotBytes, 2 * this.#tailBytes);
        if (!(error instanceof UnavailableError)) ports.events.onDefect?.(error);
      })
      .finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    const { ports, epoch, doc, repair, queue, isOpen } = this.#options;
    if (!isOpen()) return;
    const startedAt = ports.now();
    // All of it from one moment: what later updates add is behind this number in the log.
    const seq = queue.lastSeq;
    const stateVector = Y.encodeStateVector(doc);
    const annex = repair.encode();
    const coveredBytes = this.#tailBytes;
    const chunks: Uint8Array[] = [];
    await runInSlices(stateChunks(doc), ports.timers, (chunk) => chunks.push(chunk));
    // Deletions that came meanwhile may be in it: they must be in the log as well.
    await queue.settled();
    if (!isOpen()) return;
    const snapshot = { seq, chunks, stateVector, annex };
    if (!(await ports.saveSnapshot(snapshot, epoch))) return;
    this.#snapshotBytes = sum(chunks);
    this.#tailBytes -= coveredBytes;
    ports.events.onCompaction?.(ports.now() - startedAt, this.#snapshotBytes);
  }
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}
