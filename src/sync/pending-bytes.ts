/** Below that a connection is no burden, whatever the others have. */
const SMALL_BYTES = 64 * 1024;

/** The bytes of updates that are not durable yet, of all connections together. */
export class PendingBytes {
  readonly #most: number;
  #inAll = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: number): void {
    this.#inAll += bytes;
  }

  remove(bytes: number): void {
    this.#inAll -= bytes;
  }

  /** Whether a connection that has so much of it should not be read until it has less. */
  isTooMuch(ofConnection: number): boolean {
    return this.#inAll >= this.#most && ofConnection >= SMALL_BYTES;
  }
}
