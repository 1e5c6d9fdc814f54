/** More than the body of an operation on one node needs, unknown fields included. */
const MAX_VALUES = 1000;

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const OPENING_BRACE = 123;

/**
 * Counts what would make work for whoever parses a JSON text, while it comes: values, and characters
 * that are escaped. Knows nothing else of JSON.
 */
export class JsonScan {
  readonly #maxEscapes: number;
  readonly #maxValues: number;
  #values = 0;
  #escapes = 0;
  #isInText = false;
  #isEscaped = false;

  /** @param maxEscapes of all texts together */
  constructor(maxEscapes: number, maxValues: number = MAX_VALUES) {
    this.#maxEscapes = maxEscapes;
    this.#maxValues = maxValues;
  }

  /** Why the text should not be parsed; undefined as long as it may be. */
  get excess(): "values" | "escapes" | undefined {
    if (this.#values > this.#maxValues) return "values";
    return this.#escapes > this.#maxEscapes ? "escapes" : undefined;
  }

  /** @param bytes the next of the text's UTF-8 */
  push(bytes: Uint8Array): void {
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    // An iterator takes twice as long.
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isInText = !isInText;
      else if (isInText) {
        if (byte !== BACKSLASH) continue;
        isEscaped = true;
        this.#escapes += 1;
      } else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) {
        this.#values += 1;
      }
    }
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
  }
}
