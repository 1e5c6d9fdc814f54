import { Duplex } from "node:stream";

/** As much as a socket hands over at once. */
const PIECE_BYTES = 64 * 1024;

/** A connection within the process: the server has one end of it, and nothing of a network is measured. */
export class Wire {
  readonly #end: ServerEnd;

  /** @param isDeaf whether it never takes what the server sends */
  constructor(onAnswer: (bytes: Uint8Array) => void, isDeaf = false) {
    this.#end = new ServerEnd(onAnswer, isDeaf);
  }

  /** What the server is given in the place of a socket. */
  get serverEnd(): Duplex {
    return this.#end;
  }

  get isOpen(): boolean {
    return !this.#end.destroyed && !this.#end.writableEnded;
  }

  send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#end.destroyed; at += PIECE_BYTES) {
      this.#end.push(bytes.subarray(at, at + PIECE_BYTES));
    }
  }

  /** Hangs up. */
  end(): void {
    this.#end.destroy();
  }
}

class ServerEnd extends Duplex {
  /** From where it seems to come. */
  readonly remoteAddress = "127.0.0.1";
  readonly #onAnswer: (bytes: Uint8Array) => void;
  readonly #isDeaf: boolean;

  constructor(onAnswer: (bytes: Uint8Array) => void, isDeaf: boolean) {
    super();
    this.#onAnswer = onAnswer;
    this.#isDeaf = isDeaf;
    // The server hears of it otherwise.
    this.on("error", () => undefined);
  }

  override _read(): void {
    // What comes is pushed.
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: () => void): void {
    this.#onAnswer(chunk);
    if (!this.#isDeaf) callback();
  }
}
