import { Readable } from "node:stream";
import type { Turn } from "../../documents/turns/turns.ts";

/** What is rendered at a time, before others have their turn: about what the processor keeps near. */
const CHUNK_PIECES = 250;
const CHUNK_CHARACTERS = 64 * 1024;
/** One is made while another is sent. */
const MOST_CHUNKS_HELD = 2;

/** As much of an `OutlineDocument` as a list takes. */
interface ListedDocument {
  read<T>(fn: () => T): Promise<T>;
  readNow<T>(fn: () => T): { readonly result: T } | undefined;
}

export interface ListSource {
  readonly document: ListedDocument;
  /** What stands before and behind the pieces. */
  readonly around: readonly [string, string];
  /** The JSON in pieces, asked for some at a time, within reads of the document; empty ones are pauses. */
  readonly pieces: Iterator<string>;
  /** Called before each of these reads; throws when the work is to end. */
  readonly requireWanted: () => void;
  /** Does a part of the work in one of the turns of whom the list is for. */
  readonly takeTurn: <T>(work: (turn: Pick<Turn, "isOver">) => T | Promise<T>) => Promise<T>;
  /** Told how much is in memory of it. */
  readonly onHeld: (bytes: number) => void;
}

/** The JSON of an item; of a very long one in pieces. */
export type ListItem = string | Iterable<string>;

/** The items with commas between them. */
export function* separated(items: Iterable<ListItem>): Generator<string> {
  let comma = "";
  for (const item of items) {
    if (typeof item === "string") yield comma + item;
    else {
      for (const piece of item) {
        yield comma + piece;
        comma = "";
      }
    }
    comma = ",";
  }
}

/**
 * JSON as a stream that is made as fast as it is read. Destroying the stream ends the work, and an
 * exception in the work destroys the stream: a body that looks whole is whole.
 */
export function listStream(source: ListSource): Readable {
  return Readable.from(chunksOf(source), { objectMode: false });
}

/** What was made in one turn; nothing where all there was were pauses. */
interface Chunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

async function* chunksOf(source: ListSource): AsyncGenerator<Buffer, void, undefined> {
  const { document, pieces, requireWanted, takeTurn, onHeld } = source;
  let [before, behind] = source.around;
  try {
    for (;;) {
      requireWanted();
      const { bytes, isLast } = await takeTurn((turn) => {
        const make = (): Chunk => nextChunk(pieces, turn, [before, behind]);
        // Within the turn, which else would end before anything is made.
        return document.readNow(make)?.result ?? document.read(make);
      });
      if (bytes.length > 0) {
        // What was yielded before may still wait to be sent.
        onHeld(MOST_CHUNKS_HELD * bytes.length);
        yield bytes;
        before = "";
      }
      if (isLast) return;
    }
  } finally {
    pieces.return?.();
  }
}

/** Encodes what it makes, too: that takes as long, and more where the memory for it is new. */
function nextChunk(
  pieces: Iterator<string>,
  turn: Pick<Turn, "isOver">,
  [before, behind]: ListSource["around"],
): Chunk {
  let text = "";
  for (let count = 0; count < CHUNK_PIECES && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: piece } = pieces.next();
    if (done === true) return { bytes: Buffer.from(before + text + behind), isLast: true };
    text += piece;
    if (turn.isOver) break;
  }
  return { bytes: Buffer.from(text === "" ? "" : before + text), isLast: false };
}
