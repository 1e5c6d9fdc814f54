import type { CatchUp } from "./catch-up.ts";
import { wholeState } from "./catch-up.ts";
import type { DocumentPin } from "./document-pin.ts";
import { Gate } from "./gate.ts";
import type { MergedTail } from "./merged-tail.ts";

/**
 * Whole states on their way to new clients: only so many at a time, since each is as large as the
 * outline, and read from the store once for all that ask meanwhile.
 */
export class WholeStates {
  readonly #pin: DocumentPin;
  readonly #tail: MergedTail;
  readonly #gate: Gate;
  #reading: Promise<() => CatchUp> | undefined;

  constructor(pin: DocumentPin, tail: MergedTail, atOnce: number) {
    this.#pin = pin;
    this.#tail = tail;
    this.#gate = new Gate(atOnce);
  }

  /**
   * Runs `send` with the state when it is its turn, unless that is not wanted any more by then: when
   * all have left, nobody would let go of what is opened. @throws what opening and reading throw
   */
  pass<T>(isWanted: () => boolean, send: (state: CatchUp) => Promise<T>): Promise<T | undefined> {
    return this.#gate.pass(async () => {
      if (!isWanted()) return undefined;
      this.#reading ??= this.#read();
      const state = await this.#reading;
      return send(state());
    });
  }

  async #read(): Promise<() => CatchUp> {
    try {
      return await this.#pin.use((document) => wholeState(document, this.#tail));
    } finally {
      this.#reading = undefined;
    }
  }
}
