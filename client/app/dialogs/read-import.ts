import type { NodeKey } from "../../../src/core/node-key.ts";
import type { ImportLimits, ReadResult } from "../../../src/formats/outline-entry.ts";
import type { OutlineFormat } from "../../../src/formats/outline-format.ts";
import { readerOf } from "../../../src/formats/reader-of.ts";

/** What one import may bring: as much as the command of the server takes in a file. */
const LIMITS: ImportLimits = { maxNodes: 1_000_000, maxDepth: 10_000, maxTextBytes: 1024 * 1024 };

/**
 * Reads a whole text; a broken one is told with line and reason, and nothing of it is used.
 * @param newKey makes keys for lines that others of the text link to; without it these links are text
 */
export function readImport(
  text: string,
  format: OutlineFormat,
  newKey?: () => NodeKey,
): ReadResult {
  const reader = readerOf(format, LIMITS, newKey && { newKey });
  reader.push(text);
  return reader.finish();
}

/** What a pasted text probably is. */
export function formatOfText(text: string): OutlineFormat {
  const start = text.trimStart();
  if (/^<\?xml|^<opml/i.test(start)) return "opml";
  if (/^[[{]/.test(start) && /[\]}]\s*$/.test(text)) return "json";
  return /^#{1,6} |^\s*[-*+] \S|^\s*\d+[.)] |\*\*|\]\(/m.test(text) ? "markdown" : "text";
}

/** The text of a file: UTF-8, or UTF-16 with its mark. Undefined when it is neither. */
export function textOfFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
