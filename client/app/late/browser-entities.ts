import { inertPage } from "../clipboard/inert-page.ts";

/** So many are remembered: all that have a name, and then some. */
const MOST_KNOWN = 4096;

const known = new Map<string, string>();

/**
 * Stands in for that of the package `entities`: a browser has the table of HTML's entities itself.
 * @param source a whole entity, from `&` to `;`
 */
export function decodeHTMLStrict(source: string): string {
  const before = known.get(source);
  if (before !== undefined) return before;
  // In an element: spaces before the first one are not kept.
  const text = inertPage(`<p>${source}</p>`).body.textContent;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(source, text);
  return text;
}
