import type { Platform } from "./platform.ts";

/** Does something while it is on: at once, and then again and again. */
export class Repeated {
  readonly #platform: Pick<Platform, "setTimer">;
  readonly #everyMs: number;
  readonly #work: () => void;
  #stop: (() => void) | undefined;

  constructor(platform: Pick<Platform, "setTimer">, everyMs: number, work: () => void) {
    this.#platform = platform;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  set isOn(isOn: boolean) {
    if (isOn === (this.#stop !== undefined)) return;
    if (isOn) this.#go();
    else {
      this.#stop?.();
      this.#stop = undefined;
    }
  }

  #go(): void {
    this.#stop = this.#platform.setTimer(() => this.#go(), this.#everyMs);
    this.#work();
  }
}
