import type { Timers } from "../../../src/documents/turns/timers.ts";
import type { Agenda } from "./agenda.ts";

/**
 * A running program of the simulated world, a server or an app. When it is killed nothing of it goes
 * on: its timers do not ring, and what it waits for does not come.
 */
export class Program implements Timers {
  readonly agenda: Agenda;
  readonly #deaths: (() => void)[] = [];
  #isOver = false;

  constructor(agenda: Agenda) {
    this.agenda = agenda;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends it as `kill -9` does. */
  kill(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const onDeath of this.#deaths) onDeath();
  }

  /** Called when it is killed, and not when it ends by itself. */
  onDeath(listener: () => void): void {
    this.#deaths.push(listener);
  }

  setTimeout(callback: () => void, ms: number): unknown {
    return this.agenda.after(ms, () => {
      if (!this.#isOver) callback();
    });
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === "function") handle();
  }

  yieldNow(): Promise<void> {
    return this.wait(0);
  }

  wait(ms: number): Promise<void> {
    // A promise of its own: one for all would keep everything that has ever waited for it.
    if (this.#isOver) return new Promise(() => undefined);
    return new Promise((resolve) => this.setTimeout(resolve, ms));
  }
}
