import type { Repair } from "../../core/merge/repair.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { UnavailableError } from "../log/unavailable-error.ts";

export interface ArrivalRecordingOptions {
  readonly ports: DocumentPorts;
  readonly repair: Repair;
  readonly isOpen: () => boolean;
  /** When the outline has changed last. */
  readonly changedAt: () => number;
  /** Makes a change when nobody works on the outline exclusively; resolves when it is durable. */
  readonly change: (fn: () => void) => Promise<void>;
}

/**
 * Writes down when what came from outside came: when that has waited long, when the outline is quiet,
 * and before it is let go.
 */
export class ArrivalRecording {
  readonly #options: ArrivalRecordingOptions;
  /** Since when something waits to be written down, as far as somebody has looked. */
  #unrecordedSince: number | undefined;
  #recording: Promise<void> | undefined;

  constructor(options: ArrivalRecordingOptions) {
    this.#options = options;
  }

  /** Whether something has to be written down before the outline is let go. */
  get isDue(): boolean {
    return this.#options.repair.hasUnrecorded;
  }

  /** To be called every now and then. */
  recordIfDue(): void {
    const { ports, isOpen, changedAt } = this.#options;
    const { arrivalsQuietMs, arrivalsEveryMs } = ports.limits;
    const now = ports.now();
    if (!this.isDue || !isOpen()) {
      this.#unrecordedSince = undefined;
      return;
    }
    this.#unrecordedSince ??= changedAt();
    const isQuiet = now - changedAt() >= arrivalsQuietMs;
    if (isQuiet || now - this.#unrecordedSince >= arrivalsEveryMs) void this.record();
  }

  /** The same at once. Never rejects: what is not written down now is when it is loaded again. */
  record(): Promise<void> {
    if (!this.isDue || !this.#options.isOpen()) return Promise.resolve();
    return (this.#recording ??= this.#record());
  }

  async #record(): Promise<void> {
    const { ports, repair, change } = this.#options;
    try {
      await change(() => repair.recordSoon());
    } catch (error) {
      if (!(error instanceof UnavailableError)) ports.events.onDefect?.(error);
    }
    this.#recording = undefined;
    this.#unrecordedSince = undefined;
  }
}
