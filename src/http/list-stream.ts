import { Readable } from "node:stream";
import type { Turn } from "../documents/turns.ts";

/** What is rendered at a time, before others have their turn: about what the processor keeps near. */
const CHUNK_PIECES = 250;
const CHUNK_CHARACTERS = 64 * 1024;
/** One is made while another is sent. */
const MOST_CHUNKS_HELD = 2;
const MOST_BYTES_PER_CHARACTER = 2;

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

/** What was made in one turn. */
interface Chunk {
  readonly text: string;
  readonly isLast: boolean;
}

async function* chunksOf(source: ListSource): AsyncGenerator<string, void, undefined> {
  const { document, around, pieces, requireWanted, takeTurn, onHeld } = source;
  const [before, behind] = around;
  let isFirst = true;
  try {
    for (;;) {
      requireWanted();
      const { text, isLast } = await takeTurn((turn) => {
        const make = (): Chunk => nextPieces(pieces, turn);
        // Within the turn, which else would end before anything is made.
        return document.readNow(make)?.result ?? document.read(make);
      });
      if (text !== "") {
        // What was yielded before may still wait to be sent.
        onHeld(MOST_CHUNKS_HELD * text.length * MOST_BYTES_PER_CHARACTER);
        yield isFirst ? before + text : text;
        isFirst = false;
      }
      if (isLast) break;
    }
  } finally {
    pieces.return?.();
  }
  yield isFirst ? before + behind : behind;
}

function nextPieces(pieces: Iterator<string>, turn: Pick<Turn, "isOver">): Chunk {
  let text = "";
  for (let count = 0; count < CHUNK_PIECES && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: piece } = pieces.next();
    if (done === true) return { text, isLast: true };
    text += piece;
    if (turn.isOver) break;
  }
  return { text, isLast: false };
}
