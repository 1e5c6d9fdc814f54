import { write, writeSync } from "node:fs";

/** What waits to be written. [Q123] */
const MOST_CHARACTERS = 2 ** 20;
/** Where a pipe takes nothing just now. */
const AGAIN_MS = 100;

/**
 * Writes lines of a log to an open file, one write at a time. A log that can't be written, since its disk
 * is full or nobody reads it, costs lines and nothing else: those that wait when there are too many, and
 * those of a write that fails. The next one is tried again.
 */
export class LogOutput {
  readonly #file: number;
  #waiting = "";
  #isWriting = false;

  /** @param file its descriptor */
  constructor(file: number) {
    this.#file = file;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > MOST_CHARACTERS) return;
    this.#waiting += line;
    if (!this.#isWriting) this.#writeNext();
  }

  /** What waits is written before anything else is done, as far as that can be. */
  flushSync(): void {
    const text = this.#waiting;
    this.#waiting = "";
    try {
      writeSync(this.#file, text);
    } catch {
      // Nobody could be told.
    }
  }

  #writeNext(): void {
    const text = this.#waiting;
    this.#waiting = "";
    this.#isWriting = text !== "";
    if (this.#isWriting) this.#writeAll(Buffer.from(text));
  }

  #writeAll(bytes: Buffer): void {
    write(this.#file, bytes, (error, written) => {
      if (error?.code === "EAGAIN") setTimeout(() => this.#writeAll(bytes), AGAIN_MS);
      else if (error !== null || written === bytes.length) this.#writeNext();
      else this.#writeAll(bytes.subarray(written));
    });
  }
}
