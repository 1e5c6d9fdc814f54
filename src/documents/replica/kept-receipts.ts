import type { Receipt, Seq } from "../log/outline-log.ts";

/** A receipt that is durable, and the number of the last update that became so with it. */
export interface KeptReceipt extends Receipt {
  readonly seq: Seq;
}

const MAX_BYTES = 2 ** 20;
/** Beside what it says. */
const RECEIPT_BYTES = 300;

/** The newest receipts of a replica, for when the store has lost them with their updates. */
export class KeptReceipts {
  /** [Q93] */
  #receipts: KeptReceipt[] = [];
  #bytes = 0;

  /** Memory that they take, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Those that became durable with updates behind a number. */
  behind(seq: Seq): readonly KeptReceipt[] {
    return this.#receipts.filter((receipt) => receipt.seq > seq);
  }

  add(receipts: readonly KeptReceipt[]): void {
    this.#receipts.push(...receipts);
    this.#bytes += memoryOfReceipts(receipts);
    // Trimmed rarely and by much, since that moves all that stay.
    if (this.#bytes > 2 * MAX_BYTES) this.#trim();
  }

  #trim(): void {
    let excess = this.#bytes - MAX_BYTES;
    let start = 0;
    for (const { bytes } of this.#receipts) {
      if (excess <= 0) break;
      excess -= RECEIPT_BYTES + bytes;
      start++;
    }
    this.#receipts = this.#receipts.slice(start);
    this.#bytes = memoryOfReceipts(this.#receipts);
  }
}

/** Memory that they take, estimated. */
export function memoryOfReceipts(receipts: readonly KeptReceipt[]): number {
  return receipts.reduce((sum, { bytes }) => sum + bytes, receipts.length * RECEIPT_BYTES);
}
