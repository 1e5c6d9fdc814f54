import type { Charge, MemoryLedger } from "../charges/memory-ledger.ts";
import type { Payer } from "../charges/payer.ts";

/** Less is not worth counting: it goes within a turn, or is next to what a connection takes anyway. */
const SMALL_BYTES = 64 * 1024;

/** Memory that an outline's sessions share and can do without: it goes when there is no room for it. */
export class DroppableMemory {
  readonly #memory: MemoryLedger;
  readonly #payer: Payer;
  #charge: Charge | undefined;

  constructor(memory: MemoryLedger, payer: Payer) {
    this.#memory = memory;
    this.#payer = payer;
  }

  /** @param drop lets go of it; possibly within this call */
  set(bytes: number, drop: () => void): void {
    if (bytes < SMALL_BYTES) return this.end();
    this.#charge ??= this.#memory.open(this.#payer, () => {
      this.#charge = undefined;
      drop();
    });
    this.#charge.set(bytes);
  }

  end(): void {
    this.#charge?.end();
    this.#charge = undefined;
  }
}
