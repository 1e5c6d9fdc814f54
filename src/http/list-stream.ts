import { Readable } from "node:stream";
import type { Turn } from "../documents/turns.ts";

/** What is rendered at a time, before others have their turn: about what the processor keeps near. */
const CHUNK_ITEMS = 250;
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
  /** What the list is called. */
  readonly name: string;
  /** The JSON of each item, asked for some at a time, within reads of the document. */
  readonly items: Iterator<string>;
  /** Called before each of these reads; throws when the work is to end. */
  readonly requireWanted: () => void;
  /** Does a part of the work in one of the turns of whom the list is for. */
  readonly takeTurn: <T>(work: (turn: Pick<Turn, "isOver">) => T | Promise<T>) => Promise<T>;
  /** Told how much is in memory of it. */
  readonly onHeld: (bytes: number) => void;
}

/**
 * The JSON `{name: [items]}` as a stream that is made as fast as it is read. Destroying the stream
 * ends the work, and an exception in the work destroys the stream: a body that looks whole is whole.
 */
export function listStream(source: ListSource): Readable {
  return Readable.from(chunksOf(source), { objectMode: false });
}

async function* chunksOf(source: ListSource): AsyncGenerator<string, void, undefined> {
  const { document, name, items, requireWanted, takeTurn, onHeld } = source;
  let before = `{"${name}":[`;
  try {
    for (;;) {
      requireWanted();
      const chunk = await takeTurn((turn) => {
        const make = (): string => nextItems(items, turn);
        // Within the turn, which else would end before anything is made.
        return document.readNow(make)?.result ?? document.read(make);
      });
      if (chunk === "") break;
      // What was yielded before may still wait to be sent.
      onHeld(MOST_CHUNKS_HELD * chunk.length * MOST_BYTES_PER_CHARACTER);
      yield before + chunk;
      before = ",";
    }
  } finally {
    items.return?.();
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** The next items, separated by commas; empty after the last. */
function nextItems(items: Iterator<string>, turn: Pick<Turn, "isOver">): string {
  let text = "";
  for (let count = 0; count < CHUNK_ITEMS && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: item } = items.next();
    if (done === true) break;
    text += text === "" ? item : `,${item}`;
    if (turn.isOver) break;
  }
  return text;
}
