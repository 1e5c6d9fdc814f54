import type { Commit } from "./commit-queue.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { KeptReceipts } from "./kept-receipts.ts";
import type { Append, Receipt, ReceiptPlace } from "./outline-log.ts";

/** About what one takes in memory beside what it says, which is on the disk alone. */
const BYTES_OF_PLACE = 200;

interface ReceiptsOptions {
  readonly ports: Pick<DocumentPorts, "receipts" | "receipt" | "now">;
  readonly limits: Pick<DocumentLimits, "receiptMs" | "maxReceipts" | "maxReceiptBytes">;
}

/**
 * What requests with keys of their own were answered, of one outline: which there are, and which have
 * to go. Read from the log when the first one is asked for.
 */
export class Receipts {
  /** Those of this replica that are durable. */
  readonly kept = new KeptReceipts();
  readonly #options: ReceiptsOptions;
  /** By id, oldest first; undefined before they were read. [Q77] */
  #places: Map<string, ReceiptPlace> | undefined;
  #answerBytes = 0;

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  get areRead(): boolean {
    return this.#places !== undefined;
  }

  /** Memory that they take, estimated. */
  get bytes(): number {
    return (this.#places?.size ?? 0) * BYTES_OF_PLACE + this.kept.bytes;
  }

  /** What a receipt says; undefined when there is none, or none any more. @throws UnavailableError */
  async find(id: string): Promise<Uint8Array | undefined> {
    const { ports, limits } = this.#options;
    if (this.#places === undefined) {
      const stored = await ports.receipts();
      // Another one that asked meanwhile has read the same.
      if (this.#places === undefined) this.#take(stored);
    }
    const place = this.#places?.get(id);
    if (place === undefined || place.at <= ports.now() - limits.receiptMs) return undefined;
    return ports.receipt(place);
  }

  /** Notes receipts that are about to be appended. @returns what the append has to have for them */
  add(answers: ReadonlyMap<string, Uint8Array>): NonNullable<Append["receipts"]> {
    if (this.#places === undefined) throw new Error("nobody has looked for the receipt");
    const at = this.#options.ports.now();
    const removed: ReceiptPlace[] = [];
    const added: Receipt[] = [];
    for (const [id, answer] of answers) {
      // It has expired.
      const earlier = this.#places.get(id);
      if (earlier !== undefined) removed.push(this.#remove(earlier));
      const place = { id, at, bytes: answer.byteLength };
      this.#places.set(id, place);
      this.#answerBytes += place.bytes;
      added.push({ ...place, answer });
    }
    for (const place of this.#places.values()) {
      if (answers.has(place.id) || !this.#isExcess(place)) break;
      removed.push(this.#remove(place));
    }
    return { added, removed };
  }

  /** Receipts are durable, with updates up to a number. */
  onDurable({ receipts, head }: Pick<Commit, "receipts" | "head">): void {
    this.kept.add(receipts.map((receipt) => ({ ...receipt, seq: head })));
  }

  #take(stored: readonly ReceiptPlace[]): void {
    this.#places = new Map(stored.map((place) => [place.id, place]));
    for (const { bytes } of stored) this.#answerBytes += bytes;
  }

  #isExcess({ at }: ReceiptPlace): boolean {
    const { ports, limits } = this.#options;
    const count = this.#places?.size ?? 0;
    return (
      at <= ports.now() - limits.receiptMs ||
      count > limits.maxReceipts ||
      this.#answerBytes > limits.maxReceiptBytes
    );
  }

  #remove(place: ReceiptPlace): ReceiptPlace {
    this.#places?.delete(place.id);
    this.#answerBytes -= place.bytes;
    return place;
  }
}
