import { LogDates } from "../../core/calendar/log-dates.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { DeletionMark } from "../../core/node/deletion-mark.ts";
import type { Outline } from "../../core/outline.ts";
import { purge } from "../../core/purge.ts";
import type { Repair } from "../../core/merge/repair.ts";
import { metaOf } from "../../core/schema.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { Seq } from "../log/outline-log.ts";
import { UnavailableError } from "../log/unavailable-error.ts";

export interface PurgingOptions {
  readonly ports: DocumentPorts;
  readonly outline: Outline;
  readonly repair: Repair;
  /** The number of the last update. */
  readonly lastSeq: () => Seq;
  /** When the outline has changed last. */
  readonly changedAt: () => number;
  /** Whether a device may hold edits that have not come yet. */
  readonly hasDevices: () => boolean;
  /** Makes a change when nobody works on the outline exclusively; resolves when it is durable. */
  readonly change: <T>(fn: () => T) => Promise<T>;
}

/**
 * Removes from an outline for good what has been deleted long enough: now and then, while it is
 * quiet, in small appends beside everything else. What has no device to wait for goes at once, unless
 * it can be taken out of the trash.
 */
export class Purging {
  readonly #options: PurgingOptions;
  readonly #dates: LogDates;
  #ranAt: number | undefined;
  #isRunning = false;

  constructor(options: PurgingOptions) {
    this.#options = options;
    this.#dates = new LogDates(metaOf(options.outline.doc));
  }

  /** To be called every now and then. */
  startIfDue(): void {
    const { ports, outline, changedAt } = this.#options;
    const { purgeQuietMs, purgeEveryMs } = ports.limits;
    const now = ports.now();
    if (this.#isRunning || outline.tree.deletedRows().size === 0) return;
    if (now - changedAt() < purgeQuietMs) return;
    const everyMs = outline.quota.isTight ? 0 : purgeEveryMs;
    if (this.#ranAt !== undefined && now - this.#ranAt < everyMs) return;
    this.#ranAt = now;
    this.#isRunning = true;
    void ports
      .whenFree(() => this.#run())
      .catch((error: unknown) => {
        // Let go of, or the store fails: whoever loads it next goes on.
        if (!(error instanceof UnavailableError)) ports.events.onDefect?.(error);
      })
      .finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    const { ports, outline, change } = this.#options;
    const { now, timers, events } = ports;
    const startedAt = now();
    const undated = new Set<NodeKey>();
    const work = purge(outline, (key, kind) => {
      const isDue = this.#isDue(key, kind);
      if (isDue === undefined) undated.add(key);
      return isDue ?? false;
    });
    for (;;) {
      const step = await change(() => work.next());
      if (step.done === true) {
        if (undated.size > 0) await change(() => this.#noteDate());
        if (step.value > 0) events.onPurge?.(now() - startedAt, step.value);
        return;
      }
      await timers.yieldNow();
    }
  }

  /** Undefined when nobody knows how long the node has been deleted. */
  #isDue(key: NodeKey, kind: DeletionMark["kind"]): boolean | undefined {
    const { ports, outline, repair, hasDevices } = this.#options;
    const { graceMs } = ports.limits;
    // Who deletes for good in an outline that is full wants the room.
    if (kind === "final" && (!hasDevices() || outline.quota.isTight)) return true;
    const seq = repair.deletedAt(key);
    if (seq === undefined || graceMs === 0) return false;
    const at = this.#dates.dateOf(seq);
    return at === undefined ? undefined : at * 1000 + graceMs <= ports.now();
  }

  #noteDate(): void {
    const { ports, outline, lastSeq } = this.#options;
    const at = Math.floor(ports.now() / 1000);
    outline.doc.transact(() => {
      this.#dates.note({ seq: lastSeq(), at }, ports.limits.graceMs / 1000);
    });
  }
}
