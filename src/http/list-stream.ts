import { Readable } from "node:stream";
import { setImmediate as yieldNow } from "node:timers/promises";
import type { OutlineDocument } from "../documents/outline-document.ts";

/** What is rendered at a time, before others have their turn: about what the processor keeps near. */
const CHUNK_ITEMS = 250;
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The JSON `{name: [items]}` as a stream that is made as fast as it is read. Destroying the stream
 * ends the work, and an exception in the work destroys the stream: a body that looks whole is whole.
 *
 * @param items the JSON of each, asked for some at a time, within reads of the document
 * @param requireWanted called before each of these reads; throws when the work is to end
 */
export function listStream(
  document: OutlineDocument,
  name: string,
  items: Iterator<string>,
  requireWanted: () => void,
): Readable {
  return Readable.from(chunksOf(document, name, items, requireWanted), { objectMode: false });
}

async function* chunksOf(
  document: OutlineDocument,
  name: string,
  items: Iterator<string>,
  requireWanted: () => void,
): AsyncGenerator<string, void, undefined> {
  let before = `{"${name}":[`;
  try {
    for (;;) {
      requireWanted();
      const chunk = await document.read(() => nextItems(items));
      if (chunk === "") break;
      yield before + chunk;
      before = ",";
      await yieldNow();
    }
  } finally {
    items.return?.();
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** The next items, separated by commas; empty after the last. */
function nextItems(items: Iterator<string>): string {
  let text = "";
  for (let count = 0; count < CHUNK_ITEMS && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: item } = items.next();
    if (done === true) break;
    text += text === "" ? item : `,${item}`;
  }
  return text;
}
