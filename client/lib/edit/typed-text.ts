import * as Y from "yjs";
import { layoutOf } from "../../../src/core/node/node-reader.ts";
import { cleanText, tabsOfName } from "../../../src/core/text/clean-text.ts";
import { type Formats, type FormatValue, sameFormats } from "../../../src/core/text/rich-text.ts";
import type { TextEdit } from "./edits.ts";
import { isInsidePair } from "../../../src/core/text/is-inside-pair.ts";
import { firstItem, transactionOf } from "../../../src/core/yjs/inside.ts";
import { insertBefore } from "../../../src/core/yjs/insert-between.ts";

/** Formats that what is typed at their end does not take over; `e` never is. */
const NOT_GROWING: ReadonlySet<string> = new Set(["a", "code", "d", "e", "mark", "span"]);

/** A stretch of a text in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Applies what was typed. Inside a transaction. Answers where the caret is behind it.
 * @param isFull the text may get no more formats: what is typed has those of its place
 */
export function applyTyping(text: Y.Text, edit: TextEdit, isFull = false): number {
  const wanted = { from: edit.at, to: edit.at + edit.remove };
  const { from, to } = wholeCharacters(text, wanted);
  const inserted = cleanText(
    // A half that the range had to be widened by stays as it was asked for.
    unitsBetween(text, from, Math.max(from, Math.min(wanted.from, to))) +
      edit.insert +
      unitsBetween(text, Math.max(from, Math.min(wanted.to, to)), to),
    tabsOfName(layoutOf(text)),
  );
  const formats = isFull ? undefined : (edit.formats ?? formatsForTyping(text, from, to));
  if (to > from) text.delete(from, to - from);
  if (inserted !== "" && !insertAmongDeleted(text, from, inserted, formats)) {
    // Yjs fills in the attributes it is given, and without any takes over those that are open.
    text.insert(from, inserted, formats && { ...formats });
  }
  return from + inserted.length;
}

/**
 * Inserts before the last of the deleted characters at a place, so that it stands in what it replaces: what
 * others write meanwhile in front of that, or append to it, stays there. Behind all of them, where Yjs would
 * put it, others append too, and then client ids say which comes first.
 * @returns false, and nothing is written, where no such character is known, or the formats are others
 */
function insertAmongDeleted(
  text: Y.Text,
  index: number,
  inserted: string,
  formats: Formats | undefined,
): boolean {
  const transaction = text.doc && transactionOf(text.doc);
  if (!transaction) return false;
  let at = 0;
  let item = firstItem(text);
  for (; item !== null && at < index; item = item.right) {
    if (item.countable && !item.deleted) at += item.length;
  }
  if (at > index) return false;
  let last: Y.ID | undefined;
  for (; item?.deleted === true; item = item.right) {
    if (!(item.content instanceof Y.ContentString)) continue;
    const { str } = item.content;
    const start = str.length - (isInsidePair(str, str.length - 1) ? 2 : 1);
    last = Y.createID(item.id.client, item.id.clock + start);
  }
  if (last === undefined) return false;
  const open = index === 0 ? undefined : formatsAt(text, index - 1);
  if (formats !== undefined && !sameFormats(formats, open)) return false;
  insertBefore(transaction, text, last, inserted);
  return true;
}

/** The range within the text, widened so that it splits no surrogate pair. */
export function wholeCharacters(text: Y.Text, { from, to }: TextRange): TextRange {
  const start = Math.max(0, Math.min(from, text.length));
  const end = Math.max(start, Math.min(to, text.length));
  const isEmpty = start === end;
  const first = splitsPair(text, start) ? start - 1 : start;
  // What is inserted inside a character goes before it, and does not replace it.
  if (isEmpty) return { from: first, to: first };
  return { from: first, to: splitsPair(text, end) ? end + 1 : end };
}

/** What is typed in place of a range is formatted as its first character was, else as the one before. */
export function formatsForTyping(text: Y.Text, from: number, to: number): Formats {
  if (to > from) return inherited(formatsAt(text, from), undefined);
  const before = from === 0 ? undefined : formatsAt(text, from - 1);
  const after = formatsAt(text, from);
  return inherited(before, after, true);
}

function inherited(
  formats: Formats | undefined,
  after: Formats | undefined,
  isAtEdge = false,
): Formats {
  const kept: [string, FormatValue][] = [];
  for (const [key, value] of Object.entries(formats ?? {})) {
    if (key === "e") continue;
    if (isAtEdge && NOT_GROWING.has(key) && after?.[key] !== value) continue;
    kept.push([key, value]);
  }
  return Object.fromEntries(kept);
}

/** The formats of the character at an index; undefined behind the last one. */
function formatsAt(text: Y.Text, index: number): Formats | undefined {
  const values = new Map<string, FormatValue>();
  let left = index;
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (item.deleted) continue;
    const { content } = item;
    if (content instanceof Y.ContentFormat) {
      const { key, value }: { key: string; value: unknown } = content;
      if (value === true || typeof value === "string") values.set(key, value);
      else values.delete(key);
    } else if (item.countable) {
      if (left < item.length) return Object.fromEntries(values);
      left -= item.length;
    }
  }
  return undefined;
}

function splitsPair(text: Y.Text, index: number): boolean {
  const units = index <= 0 ? "" : unitsBetween(text, index - 1, index + 1);
  return units.length === 2 && (units.codePointAt(0) ?? 0) > 0xffff;
}

/** What is written from one index to another; an embedded object counts as one unit. */
function unitsBetween(text: Y.Text, from: number, to: number): string {
  let units = "";
  let at = 0;
  for (let item = firstItem(text); item !== null && at < to; item = item.right) {
    if (item.deleted || !item.countable) continue;
    const end = at + item.length;
    if (end > from) {
      const { content } = item;
      const source = content instanceof Y.ContentString ? content.str : " ".repeat(item.length);
      units += source.slice(Math.max(0, from - at), to - at);
    }
    at = end;
  }
  return units;
}
