import { Transform } from "node:stream";
import { constants, createGzip, type Gzip } from "node:zlib";

/** Above it, a few percent of the size cost as much time again. */
const LEVEL = 5;
/** What is compressed before others have their turn: about a millisecond. */
const PIECE_BYTES = 64 * 1024;

const OPTIONS = {
  level: LEVEL,
  chunkSize: PIECE_BYTES,
  // What is made of a piece is taken when all of it is made: a turn waits for no reader.
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};

/** Does some work when it is its turn. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

/**
 * Compresses what is written to it, a piece at a time, each in the thread pool and in a turn of its
 * own. It takes in no more than is read from it. Destroyed, it lets go of its memory.
 */
export class GzipStream extends Transform {
  readonly #inTurn: InTurn;
  readonly #gzip = createGzip(OPTIONS);

  constructor(inTurn: InTurn) {
    super();
    this.#inTurn = inTurn;
    this.#gzip.on("error", (error) => this.destroy(error));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    void this.#compress(chunk, done);
  }

  override _flush(done: () => void): void {
    void this.#finish(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#gzip.destroy();
    done(error);
  }

  async #compress(chunk: Buffer, done: () => void): Promise<void> {
    for (let at = 0; at < chunk.length && !this.destroyed; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      await this.#work((then) => this.#gzip.write(piece, then));
    }
    done();
  }

  async #finish(done: () => void): Promise<void> {
    await this.#work((then) => this.#gzip.flush(constants.Z_FINISH, then));
    done();
  }

  async #work(act: (then: () => void) => void): Promise<void> {
    await this.#inTurn(() => settled(this.#gzip, act));
    const made: unknown = this.destroyed ? null : this.#gzip.read();
    if (made !== null) this.push(made);
  }
}

/** Resolves when something is done with a compressor, or can't be any more. Errors are its events. */
function settled(gzip: Gzip, act: (then: () => void) => void): Promise<void> {
  if (gzip.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const then = (): void => {
      gzip.off("close", then);
      resolve();
    };
    gzip.once("close", then);
    act(then);
  });
}
