const ALLOWED = /^(?:https?:\/\/|mailto:|#\/)[^\p{Cc}\p{Cs}]+$/iu;

/**
 * The address, trimmed, when a link may carry it: `http://`, `https://`, `mailto:` or `#/…` (a node
 * of ours), with no control character in it. Undefined for everything else, relative paths included.
 */
export function allowedHref(address: string): string | undefined {
  const href = address.trim();
  return ALLOWED.test(href) ? href : undefined;
}
