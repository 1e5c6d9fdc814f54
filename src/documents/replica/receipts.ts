import type { Commit } from "./commit-queue.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { KeptReceipts } from "./kept-receipts.ts";
import type { Append, Receipt, ReceiptPlace } from "../log/outline-log.ts";

/** About what one takes in memory beside what it says, which is on the disk alone. */
const BYTES_OF_PLACE = 200;

/** Keeps, with a change, what its request is answered: see `OutlineDocument.receipt`. */
export type ReceiptKeeper = Pick<Receipts, "isReady" | "keep">;

/**
 * What requests with keys of their own were answered, of one outline: which there are, and which have
 * to go. Read from the log when the first one is asked for.
 */
export class Receipts {
  /** Those of this replica that are durable. */
  readonly kept = new KeptReceipts();
  readonly #ports: Pick<DocumentPorts, "receipts" | "receipt" | "limits" | "now">;
  /** By id, oldest first; undefined before they were read. [Q77] */
  #places: Map<string, ReceiptPlace> | undefined;
  #answerBytes = 0;
  /** What the requests of the change under way are answered, by the id of the receipt. [Q2] */
  #answers = new Map<string, Uint8Array>();

  constructor(ports: Pick<DocumentPorts, "receipts" | "receipt" | "limits" | "now">) {
    this.#ports = ports;
  }

  /** Whether `find` was asked of this very replica, which is what allows to keep anything. */
  get isReady(): boolean {
    return this.#places !== undefined;
  }

  /** Memory that they take, estimated. */
  get bytes(): number {
    return (this.#places?.size ?? 0) * BYTES_OF_PLACE + this.kept.bytes;
  }

  /** What a receipt says; undefined when there is none, or none any more. @throws UnavailableError */
  async find(id: string): Promise<Uint8Array | undefined> {
    const { limits, now, receipt } = this.#ports;
    if (this.#places === undefined) {
      const stored = await this.#ports.receipts();
      // Another one that asked meanwhile has read the same.
      if (this.#places === undefined) this.#take(stored);
    }
    const place = this.#places?.get(id);
    if (place === undefined || place.at <= now() - limits.receiptMs) return undefined;
    return receipt(place);
  }

  /** Within a change: keeps what a request of it is answered, in the same append. */
  keep(id: string, answer: Uint8Array): void {
    this.#answers.set(id, answer);
  }

  /** Forgets what was kept with a change that is not to be. */
  forget(): void {
    this.#answers = new Map();
  }

  /** What an append has to have for all that was kept since the last one. */
  take(): Append["receipts"] {
    const answers = this.#answers;
    if (answers.size === 0) return undefined;
    this.forget();
    if (this.#places === undefined) throw new Error("nobody has looked for the receipt");
    const at = this.#ports.now();
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
    const { limits, now } = this.#ports;
    const count = this.#places?.size ?? 0;
    return (
      at <= now() - limits.receiptMs ||
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
