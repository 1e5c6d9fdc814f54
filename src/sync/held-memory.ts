import type { Charge, MemoryLedger } from "../charges/memory-ledger.ts";
import type { Payer } from "../charges/payer.ts";

/** Smaller changes are not worth telling. */
const STEP_BYTES = 4 * 1024;

/** What one connection makes the process hold, charged to its user as one. */
export class HeldMemory {
  readonly #memory: MemoryLedger;
  readonly #payer: Payer;
  readonly #charge: Charge;
  #charged = 0;
  #unfinished = 0;
  #waiting = 0;
  #pending = 0;
  #unread = 0;
  #said = 0;

  /** @param giveUp ends the connection, for there is no room for it any more */
  constructor(memory: MemoryLedger, payer: Payer, giveUp: () => void) {
    this.#memory = memory;
    this.#payer = payer;
    this.#charge = memory.open(payer, giveUp);
  }

  /** The part of a message that has come. */
  set unfinished(bytes: number) {
    this.#unfinished = bytes;
    this.#tell();
  }

  /** Messages that wait for the document. */
  set waiting(bytes: number) {
    this.#waiting = bytes;
    this.#tell();
  }

  /** Updates that are not durable yet. */
  set pending(bytes: number) {
    this.#pending = bytes;
    this.#tell();
  }

  /** What waits for the client to read it. */
  set unread(bytes: number) {
    this.#unread = bytes;
    this.#tell();
  }

  /** What the client has said that it has. */
  set said(bytes: number) {
    this.#said = bytes;
    this.#tell();
  }

  /** Whether the user could hold so much more without a connection having to end for it. */
  hasRoomFor(bytes: number): boolean {
    return this.#memory.hasRoomFor(this.#payer, bytes);
  }

  end(): void {
    this.#charge.end();
  }

  #tell(): void {
    const bytes = this.#unfinished + this.#waiting + this.#pending + this.#unread + this.#said;
    if (bytes !== 0 && Math.abs(bytes - this.#charged) < STEP_BYTES) return;
    this.#charged = bytes;
    this.#charge.set(bytes);
  }
}
