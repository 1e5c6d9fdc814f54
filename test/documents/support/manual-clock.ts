import { setImmediate as turn } from "node:timers/promises";
import type { Timers } from "../../../src/documents/turns/timers.ts";

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** Time that moves only when a test moves it; turns of the event loop are real. */
export class ManualClock implements Timers {
  #alarms: Alarm[] = [];
  #now = 1_800_000_000_000;

  readonly now = (): number => this.#now;

  setTimeout(ring: () => void, ms: number): unknown {
    const alarm: Alarm = { at: this.#now + ms, ring };
    this.#alarms.push(alarm);
    return alarm;
  }

  clearTimeout(handle: unknown): void {
    this.#alarms = this.#alarms.filter((alarm) => alarm !== handle);
  }

  yieldNow(): Promise<void> {
    return turn();
  }

  /** Moves on in small steps, with turns between them for what each alarm sets off. */
  advance(ms: number): Promise<void> {
    return this.leap(ms, 50);
  }

  /** The same in steps of `stepMs`. */
  async leap(ms: number, stepMs: number): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) {
      this.#now = Math.min(this.#now + stepMs, end);
      const due = this.#alarms.filter(({ at }) => at <= this.#now);
      this.#alarms = this.#alarms.filter(({ at }) => at > this.#now);
      for (const { ring } of due) ring();
      await turn();
    }
  }
}
