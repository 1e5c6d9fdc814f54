import * as decoding from "lib0/decoding";

const NOTHING = new Uint8Array(0);

/**
 * Reads fields from bytes that anybody may have sent. Never throws: after the first field that is
 * not there, too long or not what it should be, `ok` is false for good and every further field is
 * empty.
 */
export class MessageReader {
  readonly #decoder: decoding.Decoder;
  #ok = true;

  constructor(bytes: Uint8Array) {
    this.#decoder = decoding.createDecoder(bytes);
  }

  /** True while everything read was there and well-formed. */
  get ok(): boolean {
    return this.#ok;
  }

  /** True when everything read was well-formed and nothing is left. */
  get complete(): boolean {
    return this.#ok && this.#left === 0;
  }

  /** A variable-length unsigned integer, at most 2^53 - 1. */
  uint(): number {
    const value = this.#read(() => decoding.readVarUint(this.#decoder)) ?? 0;
    return Number.isSafeInteger(value) ? value : this.#fail(0);
  }

  /** One of a list of values, written as its index. */
  oneOf<T>(values: readonly [T, ...T[]]): T {
    const value = values[this.uint()];
    return value === undefined ? this.#fail(values[0]) : value;
  }

  /** Bytes with their length before them: a copy, which keeps no larger buffer alive. */
  bytes(limits: { readonly min?: number; readonly max: number }): Uint8Array {
    return this.#view(limits).slice();
  }

  /** UTF-8 text with its length in bytes before it. */
  text(limits: { readonly max: number }): string {
    const start = this.#decoder.pos;
    this.#view(limits);
    if (!this.#ok) return "";
    this.#decoder.pos = start;
    return this.#read(() => decoding.readVarString(this.#decoder)) ?? "";
  }

  /** Like `bytes`, but a view into what is read. */
  view(limits: { readonly max: number }): Uint8Array {
    return this.#view(limits);
  }

  get #left(): number {
    return this.#decoder.arr.length - this.#decoder.pos;
  }

  #view({ min = 0, max }: { readonly min?: number; readonly max: number }): Uint8Array {
    const length = this.uint();
    if (length < min || length > max || length > this.#left) return this.#fail(NOTHING);
    return this.#read(() => decoding.readUint8Array(this.#decoder, length)) ?? NOTHING;
  }

  #read<T>(read: () => T): T | undefined {
    if (!this.#ok) return undefined;
    try {
      return read();
    } catch {
      // The decoder throws for what ends too early, is too large or is no UTF-8, and only for that.
      return this.#fail(undefined);
    }
  }

  #fail<T>(value: T): T {
    this.#ok = false;
    return value;
  }
}
