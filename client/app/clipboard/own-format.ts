import { isLayout } from "../../../src/core/node/layout.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { isRecord } from "../page/is-record.ts";

/** The type under which our own copies stand on the clipboard. */
export const OWN_TYPE = "application/x-outline+json";

export function ownTextOf(entries: readonly OutlineEntry[]): string {
  return JSON.stringify({ v: 1, entries });
}

/** A stretch of text, which HTML would not keep: spaces at its ends, tabs of code, and dates. */
export function ownTextOfLine(text: RichText): string {
  return JSON.stringify({ v: 1, text: htmlOfRichText(text, "kept") });
}

/** The stretch of text in our own format, when that fits in a line; undefined for everything else. */
export function lineOfOwnText(text: string): RichText | undefined {
  const html = readOwn(text)?.["text"];
  if (typeof html !== "string" || html === "" || html.includes("\n")) return undefined;
  const line = richTextOfHtml(html, "code");
  return plainText(line).includes("\n") ? richTextOfHtml(html, "joined") : line;
}

/** The entries of our own format; undefined for everything else: any page may write that type. */
export function entriesOfOwnText(text: string): readonly OutlineEntry[] | undefined {
  const list = readOwn(text)?.["entries"];
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const entries: OutlineEntry[] = [];
  let deepest = 0;
  for (const value of list as readonly unknown[]) {
    const entry = entryOf(value, deepest);
    if (entry === undefined) return undefined;
    entries.push(entry);
    deepest = entry.depth + 1;
  }
  return entries;
}

function readOwn(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(value) && value["v"] === 1 ? value : undefined;
}

function entryOf(value: unknown, deepest: number): OutlineEntry | undefined {
  if (!isRecord(value)) return undefined;
  const depth = value["depth"];
  const name = value["name"];
  const note = value["note"];
  const layout = value["layout"];
  const completedAt = value["completedAt"];
  if (typeof depth !== "number" || !Number.isInteger(depth) || depth < 0 || depth > deepest) {
    return undefined;
  }
  if (typeof name !== "string" || !isLayout(layout)) return undefined;
  const isMoment = Number.isSafeInteger(completedAt) && (completedAt as number) > 0;
  return {
    depth,
    name,
    layout,
    ...(typeof note === "string" && note !== "" && { note }),
    ...(isMoment && { completedAt: completedAt as number }),
  };
}
