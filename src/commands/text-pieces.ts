import { TextDecoder } from "node:util";

/** Bytes that are no text in their encoding. `line` counts from 1. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
  readonly line: number;

  constructor(line: number, encoding: string) {
    super(`no valid ${encoding}`);
    this.line = line;
  }
}

const MARK_BYTES = 2;

/** The text of a file, which is UTF-8, or UTF-16 when it begins with the mark of that. */
export async function* textPieces(
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  let line = 1;
  for await (const bytes of withWholeMark(pieces)) {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    const text = decoded(decoder, bytes, line);
    line += lineBreaksIn(text);
    yield text;
  }
  if (decoder !== undefined) yield decoded(decoder, undefined, line);
}

/** The same bytes in pieces, of which the first has the mark that there may be. */
async function* withWholeMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = Buffer.alloc(0);
  for await (const piece of pieces) {
    bytes = Buffer.concat([bytes, piece]);
    if (bytes.length < MARK_BYTES) continue;
    yield bytes;
    bytes = Buffer.alloc(0);
  }
  if (bytes.length > 0) yield bytes;
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  return start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : "utf-8";
}

function decoded(decoder: TextDecoder, bytes: Buffer | undefined, line: number): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    // What completes a letter of the piece before is no fault.
    const isUtf8 = decoder.encoding === "utf-8";
    const start = isUtf8 ? (bytes?.findIndex((byte) => (byte & 0xc0) !== 0x80) ?? 0) : 0;
    const lenient = new TextDecoder(decoder.encoding).decode(bytes?.subarray(Math.max(0, start)));
    const good = lenient.slice(0, Math.max(0, lenient.indexOf("\ufffd")));
    throw new EncodingError(line + lineBreaksIn(good), decoder.encoding.toUpperCase());
  }
}

function lineBreaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
