/**
 * The place in this very page that an address leads to, `#/…`; undefined for an address elsewhere.
 * @param here the address of the page; where there is none only `#/…` leads here
 */
export function ownHash(
  href: string,
  here = typeof location === "undefined" ? "" : location.href,
): string | undefined {
  if (href.startsWith("#/")) return href;
  if (!href.includes("#/")) return undefined;
  try {
    const [there, own] = [new URL(href), new URL(here)];
    const isHere = there.origin === own.origin && there.pathname === own.pathname;
    return isHere && there.hash.startsWith("#/") ? there.hash : undefined;
  } catch {
    return undefined;
  }
}
