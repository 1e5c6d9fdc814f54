import type { OutlineReader, ReadResult } from "../../src/formats/outline-entry.ts";

/** Feeds a reader a text in pieces of the given size. */
export function readAll(reader: OutlineReader, text: string, pieceLength = 65_536): ReadResult {
  for (let at = 0; at < text.length; at += pieceLength) {
    if (!reader.push(text.slice(at, at + pieceLength))) break;
  }
  return reader.finish();
}
