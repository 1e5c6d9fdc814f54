import type * as Y from "yjs";
import { valueOf } from "../schema.ts";

/** The log had reached an update at a time, by the server's clock. */
interface LogDate {
  /** The number of the update. */
  readonly seq: number;
  /** Unix seconds. */
  readonly at: number;
}

const ENTRY = "reached";
const PATTERN = /^[0-9]{1,15}@[0-9]{1,12}( [0-9]{1,15}@[0-9]{1,12})*$/;
const MOST_DATES = 32;

/**
 * When the log had reached which update, as the server has noted it in the document (docs/SPEC.md,
 * D38): so it is known how long ago something came, over restarts and whatever clocks the devices
 * have. It is never dated too early.
 */
export class LogDates {
  readonly #meta: Y.Map<unknown>;

  constructor(meta: Y.Map<unknown>) {
    this.#meta = meta;
  }

  /** Unix seconds at which an update is known to have been there; undefined when it is not known. */
  dateOf(seq: number): number | undefined {
    return this.#read().find((date) => date.seq >= seq)?.at;
  }

  /**
   * Notes that the log has reached an update now, unless the last note is fresh enough for `spanSec`
   * to be told in a few steps. Of what is older than that one note stays. Inside a transaction, on
   * the server alone.
   */
  note({ seq, at }: LogDate, spanSec: number): void {
    const dates = this.#read().filter((date) => date.at <= at && date.seq <= seq);
    const last = dates.at(-1);
    if (last !== undefined && at - last.at < spanSec / (MOST_DATES - 2)) return;
    const firstFresh = dates.findIndex((date) => date.at > at - spanSec);
    const kept = firstFresh > 0 ? dates.slice(firstFresh - 1) : dates;
    const noted = [...kept, { seq, at }].slice(-MOST_DATES);
    this.#meta.set(ENTRY, noted.map((date) => `${date.seq}@${date.at}`).join(" "));
  }

  #read(): readonly LogDate[] {
    const value = valueOf(this.#meta, ENTRY);
    if (typeof value !== "string" || !PATTERN.test(value)) return [];
    return value.split(" ").map((entry) => {
      const [seq, at] = entry.split("@").map(Number);
      return { seq: seq ?? 0, at: at ?? 0 };
    });
  }
}
