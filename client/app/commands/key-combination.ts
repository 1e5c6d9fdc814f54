/**
 * A key with its modifiers: `Mod` is Cmd on a Mac and Ctrl elsewhere, as in `Mod+Shift+K`, `Alt+ArrowUp`;
 * the last part is a `KeyboardEvent.key`, or `code:Digit8` for the key at a place.
 */
export type KeyCombination = string;

/** What of a keyboard event says which keys are down. */
export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey"
>;

export function isMacintosh(navigator: Pick<Navigator, "platform" | "userAgent">): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform || navigator.userAgent);
}

/**
 * Whether a key press is a combination. A letter also counts by its place on the keyboard where the
 * layout has no Latin letters.
 */
export function matchesCombination(
  press: KeyPress,
  combination: KeyCombination,
  isMac: boolean,
): boolean {
  const { key, modifiers } = partsOf(combination);
  const hasMod = modifiers.has("Mod");
  if (press.altKey !== modifiers.has("Alt") || press.shiftKey !== modifiers.has("Shift"))
    return false;
  if (press.metaKey !== (isMac && hasMod)) return false;
  if (press.ctrlKey !== (!isMac && hasMod)) return false;
  if (key.startsWith("code:")) return press.code === key.slice("code:".length);
  if (press.key.toLowerCase() === key.toLowerCase()) return true;
  const isForeign = press.key.length === 1 && press.key > "\u007f";
  return isForeign && press.code === `Key${key.toUpperCase()}`;
}

const MAC_MARKS: ReadonlyMap<string, string> = new Map([
  ["Alt", "⌥"],
  ["Shift", "⇧"],
  ["Mod", "⌘"],
]);
const KEY_NAMES: ReadonlyMap<string, string> = new Map([
  ["ArrowUp", "↑"],
  ["ArrowDown", "↓"],
  ["ArrowLeft", "←"],
  ["ArrowRight", "→"],
  ["Escape", "Esc"],
  ["Delete", "Del"],
  [" ", "Space"],
]);

/** As a person on such a machine reads it: `⇧⌘K`, `Ctrl+Shift+K`. */
export function labelOfCombination(combination: KeyCombination, isMac: boolean): string {
  const { key, modifiers } = partsOf(combination);
  const place = key.replace(/^code:(?:Digit|Key)?/, "");
  const name = KEY_NAMES.get(place) ?? (place.length === 1 ? place.toUpperCase() : place);
  if (isMac) {
    const marks = [...MAC_MARKS].map(([modifier, mark]) => (modifiers.has(modifier) ? mark : ""));
    return marks.join("") + (name === "Backspace" ? "⌫" : name);
  }
  const names = ["Mod", "Alt", "Shift"].filter((modifier) => modifiers.has(modifier));
  return [...names.map((each) => (each === "Mod" ? "Ctrl" : each)), name].join("+");
}

interface Parts {
  readonly key: string;
  readonly modifiers: ReadonlySet<string>;
}

/** Each key press is held against all combinations, so each of them is taken apart only once. */
const PARTS = new Map<KeyCombination, Parts>();

function partsOf(combination: KeyCombination): Parts {
  const known = PARTS.get(combination);
  if (known !== undefined) return known;
  const names = combination.split("+");
  // The plus key itself leaves an empty last part.
  const key = names.at(-1) === "" ? "+" : (names.at(-1) ?? "");
  const parts = { key, modifiers: new Set(names.slice(0, -1)) };
  PARTS.set(combination, parts);
  return parts;
}
