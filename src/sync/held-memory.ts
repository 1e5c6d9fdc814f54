import type { Charge, MemoryLedger } from "../charges/memory-ledger.ts";
import type { Payer } from "../charges/payer.ts";

/** Smaller changes are not worth telling. */
const STEP_BYTES = 4 * 1024;

type HeldPart =
  /** The part of a message that has come. */
  | "unfinished"
  /** Messages that wait for the document. */
  | "waiting"
  /** Updates that are not durable yet. */
  | "pending"
  /** What waits for the client to read it. */
  | "unread"
  /** What the client has said that it has. */
  | "said";

/** What one connection makes the process hold, charged to its user as one. */
export class HeldMemory {
  readonly #memory: MemoryLedger;
  readonly #payer: Payer;
  readonly #charge: Charge;
  readonly #bytes: Record<HeldPart, number>;
  #charged = 0;

  /** @param giveUp ends the connection, for there is no room for it any more */
  constructor(memory: MemoryLedger, payer: Payer, giveUp: () => void) {
    this.#memory = memory;
    this.#payer = payer;
    this.#charge = memory.open(payer, giveUp);
    this.#bytes = { unfinished: 0, waiting: 0, pending: 0, unread: 0, said: 0 };
  }

  /** So much is held now of a part. */
  set(part: HeldPart, partBytes: number): void {
    this.#bytes[part] = partBytes;
    const { unfinished, waiting, pending, unread, said } = this.#bytes;
    const bytes = unfinished + waiting + pending + unread + said;
    if (bytes !== 0 && Math.abs(bytes - this.#charged) < STEP_BYTES) return;
    this.#charged = bytes;
    this.#charge.set(bytes);
  }

  /** Whether the user could hold so much more without a connection having to end for it. */
  hasRoomFor(bytes: number): boolean {
    return this.#memory.hasRoomFor(this.#payer, bytes);
  }

  end(): void {
    this.#charge.end();
  }
}
