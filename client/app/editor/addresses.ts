import { allowedHref } from "../../../src/core/text/href.ts";

/** An address of the web in a text. Offsets are in UTF-16 units. */
export interface AddressPlace {
  readonly href: string;
  readonly from: number;
  readonly to: number;
}

/** Up to a space, or to what never stands in an address; not behind a letter or a digit. */
const ADDRESS = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"“”„«»`{}|\\^]+/giu;
/** What ends the sentence, and not the address. */
const END = new Set(".,;:!?'’*_~…");
const OPENED_BY: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
]);

/** The addresses in a text: what begins with `http://` or `https://`, without what stands behind it. */
export function addressesIn(text: string): readonly AddressPlace[] {
  if (!text.includes("://")) return [];
  const places: AddressPlace[] = [];
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutEnd(found);
    const href = address.length > "https://".length ? allowedHref(address) : undefined;
    if (href !== undefined) places.push({ href, from: index, to: index + address.length });
  }
  return places;
}

/** A bracket belongs to the address when it was opened there. */
function withoutEnd(found: string): string {
  const counts = new Map<string, number>();
  for (const character of found) counts.set(character, (counts.get(character) ?? 0) + 1);
  let end = found.length;
  for (; end > 0; end--) {
    const last = found.charAt(end - 1);
    const open = OPENED_BY.get(last);
    const closed = counts.get(last) ?? 0;
    const isSpare = open !== undefined && closed > (counts.get(open) ?? 0);
    if (isSpare) counts.set(last, closed - 1);
    else if (!END.has(last)) break;
  }
  return found.slice(0, end);
}
