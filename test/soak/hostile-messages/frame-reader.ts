/** Takes the frames of a server out of what comes, piece by piece. */
export class FrameReader {
  readonly #onFrame: (opcode: number, payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  /** @param onFrame gets a view, which holds for the call only */
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
      this.#onFrame((bytes[at] ?? 0) & 0x0f, bytes.subarray(at + headerLength, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}
