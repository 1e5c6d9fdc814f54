import type { Seedling } from "../../../src/core/calendar/planter.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { MAX_TEXT_LENGTH } from "../../../src/core/text/text-limits.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import type { EditRefusal, TextEdit } from "./edits.ts";

/**
 * Too long, or with too many formats. The server would refuse the update, and with it everything behind that: so nothing is made here that
 * it does not take.
 */
export const TEXT_TOO_LONG: EditRefusal = { kind: "text_too_long" };

/** Whether an edit makes a text longer, and too long. @param length of the text before, UTF-16 units */
export function growsTooLong(length: number, { at, remove, insert }: TextEdit): boolean {
  const removed = Math.max(0, Math.min(remove, length - at));
  return insert.length > removed && length - removed + insert.length > MAX_TEXT_LENGTH;
}

export function isTooLongSeedling({ name, note }: Seedling): boolean {
  return isTooLong(name) || isTooLong(note);
}

export function isTooLongEntry({ name, note }: OutlineEntry): boolean {
  // What stands for a text is never shorter than that: of usual ones nothing has to be read.
  return (
    (name.length > MAX_TEXT_LENGTH && isTooLong(richTextOfHtml(name))) ||
    ((note?.length ?? 0) > MAX_TEXT_LENGTH && isTooLong(richTextOfNote(note ?? "")))
  );
}

function isTooLong(text: RichText = []): boolean {
  return text.reduce((length, { insert }) => length + insert.length, 0) > MAX_TEXT_LENGTH;
}
