/** In characters. */
const LONGEST = 60;

/** The first whose mark is in the text counts: browsers say that they are others, too. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * What a browser is, in plain words, from what it says of itself (`User-Agent`): "Firefox on Linux",
 * or, of a program that nobody knows, the first letters, digits and dots of it. Never empty, at most 60
 * characters, none of which means anything to a terminal or in markup.
 */
export function browserName(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, 1000);
  const browser = nameIn(BROWSERS, text);
  const system = nameIn(SYSTEMS, text);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const plain = text.replaceAll(/[^A-Za-z0-9.]+/g, " ").trim();
  return plain === "" ? "an unknown browser" : plain.slice(0, LONGEST).trimEnd();
}

function nameIn(
  names: readonly (readonly [mark: RegExp, name: string])[],
  text: string,
): string | undefined {
  return names.find(([mark]) => mark.test(text))?.[1];
}
