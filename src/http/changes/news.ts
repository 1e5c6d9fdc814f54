import type { Timers } from "../../documents/turns/timers.ts";

export type Alarms = Pick<Timers, "setTimeout" | "clearTimeout">;

/** What somebody waits for who tells of changes. */
export class News {
  readonly #alarms: Alarms;
  #hasCome = false;
  #isOver = false;
  #isPausing = false;
  #wake: (() => void) | undefined;

  constructor(alarms: Alarms) {
    this.#alarms = alarms;
  }

  /** Whether nobody is to wait any more, whatever has happened. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something may have changed. */
  come(): void {
    this.#hasCome = true;
    if (!this.#isPausing) this.wake();
  }

  /** What has come is known. */
  forget(): void {
    this.#hasCome = false;
  }

  /**
   * Resolves when something may have changed since this was last called, when it is over, or after so
   * many milliseconds. @returns whether something may have changed
   */
  async next(ms?: number): Promise<boolean> {
    if (!this.#hasCome) await this.#sleep(ms);
    const hasCome = this.#hasCome;
    this.forget();
    return hasCome;
  }

  /**
   * Waits so many milliseconds, or until it is over, and takes what changes meanwhile together with what
   * has changed before.
   */
  async pause(ms: number): Promise<void> {
    this.#isPausing = true;
    await this.#sleep(ms);
    this.#isPausing = false;
    this.forget();
  }

  /** Ends the wait that is under way. */
  wake(): void {
    this.#wake?.();
  }

  /** Whoever waits has left. */
  leave(): void {
    this.#isOver = true;
    this.wake();
  }

  async #sleep(ms?: number): Promise<void> {
    if (this.#isOver) return;
    let alarm: unknown;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) alarm = this.#alarms.setTimeout(resolve, ms);
    });
    this.#alarms.clearTimeout(alarm);
  }
}
