const CONTINUATION = 0;
/** From here on opcodes are those of control frames, which may stand between fragments. */
const FIRST_CONTROL = 8;

/** Takes the messages of a server, and its control frames, out of what comes, piece by piece. */
export class FrameReader {
  readonly #onFrame: (opcode: number, payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Of a message that is not whole. */
  #fragments: Buffer[] = [];
  #opcode = 0;

  /** @param onFrame gets a view, which holds for the call only; a message in fragments as one */
  constructor(onFrame: (opcode: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 2) {
      const short = (bytes[at + 1] ?? 0) & 0x7f;
      const headerLength = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length - at < headerLength) break;
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2));
      const end = at + headerLength + length;
      if (bytes.length < end) break;
      this.#take(bytes[at] ?? 0, bytes.subarray(at + headerLength, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f;
    if (opcode >= FIRST_CONTROL) return this.#onFrame(opcode, payload);
    if (opcode !== CONTINUATION) this.#opcode = opcode;
    const isLast = (first & 0x80) !== 0;
    if (isLast && this.#fragments.length === 0) return this.#onFrame(opcode, payload);
    this.#fragments.push(Buffer.from(payload));
    if (!isLast) return;
    const whole = Buffer.concat(this.#fragments);
    this.#fragments = [];
    this.#onFrame(this.#opcode, whole);
  }
}
