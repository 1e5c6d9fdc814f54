import type { Receipt, Seq } from "./outline-log.ts";

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

  get newest(): readonly KeptReceipt[] {
    return this.#receipts;
  }

  add(receipts: readonly KeptReceipt[]): void {
    for (const receipt of receipts) {
      this.#receipts.push(receipt);
      this.#bytes += bytesOf(receipt);
    }
    // Trimmed rarely and by much, since that moves all that stay.
    if (this.#bytes > 2 * MAX_BYTES) this.#trim();
  }

  #trim(): void {
    let start = this.#receipts.length;
    let bytes = 0;
    for (let receipt = this.#receipts[start - 1]; receipt !== undefined;) {
      if (bytes + bytesOf(receipt) > MAX_BYTES) break;
      bytes += bytesOf(receipt);
      start--;
      receipt = this.#receipts[start - 1];
    }
    this.#receipts = this.#receipts.slice(start);
    this.#bytes = bytes;
  }
}

function bytesOf({ bytes }: KeptReceipt): number {
  return RECEIPT_BYTES + bytes;
}
