const ALLOWED = /^(?:https?:\/\/|mailto:|#\/)[^\p{Cc}\p{Cs}]+$/iu;

/** UTF-16 units of an address: it is written again wherever the formats around it end. */
export const MAX_HREF_LENGTH = 4096;

/**
 * The address, trimmed, when a link may carry it: `http://`, `https://`, `mailto:` or `#/…` (a node
 * of ours), with no control character in it, and not too long. Undefined for everything else, relative
 * paths included.
 */
export function allowedHref(address: string): string | undefined {
  const href = address.trim();
  return href.length <= MAX_HREF_LENGTH && isHref(href) ? href : undefined;
}

/** The same of any length, without spaces at its ends. */
export function isHref(address: string): boolean {
  return ALLOWED.test(address);
}
