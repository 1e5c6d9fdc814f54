/**
 * A key with its modifiers: `Mod` is Cmd on a Mac and Ctrl elsewhere, as in `Mod+Shift+K`, `Alt+ArrowUp`;
 * the last part is a `KeyboardEvent.key`, or `code:Digit8` for the key at a place.
 */
export type KeyCombination = string;

/**
 * Keys with Mod and Alt, and others for keyboards on which these write a character (AltGr).
 * @param key as the last part of a combination
 */
export function keysBesideAltGraph(key: string): {
  readonly macKeys: readonly KeyCombination[];
  readonly keys: readonly KeyCombination[];
} {
  return { macKeys: [`Mod+Alt+${key}`], keys: [`Mod+Alt+${key}`, `Alt+Shift+${key}`] };
}

/** What of a keyboard event says which keys are down. */
export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey"
> &
  Partial<Pick<KeyboardEvent, "getModifierState">>;

export function isMacintosh(navigator: Pick<Navigator, "platform" | "userAgent">): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform || navigator.userAgent);
}

/** Where a keyboard has the characters that some layouts have not, or on a dead key. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ["'", "Quote"],
  [";", "Semicolon"],
  ["/", "Slash"],
  [".", "Period"],
  [",", "Comma"],
]);

/**
 * Whether a key press is a combination. A letter or a mark also counts by its place on the keyboard
 * where the layout has none of it. Whether a mark needs Shift is the layout's own affair.
 */
export function matchesCombination(
  press: KeyPress,
  combination: KeyCombination,
  isMac: boolean,
): boolean {
  const { key, modifiers } = partsOf(combination);
  if (press.altKey !== modifiers.Alt) return false;
  if (press.metaKey !== (isMac && modifiers.Mod)) return false;
  if (press.ctrlKey !== (!isMac && modifiers.Mod)) return false;
  const isMark = PLACES.has(key);
  if (!isMark && press.shiftKey !== modifiers.Shift) return false;
  if (!isMac && writesByAltGraph(press)) return false;
  if (key.startsWith("code:")) return press.code === key.slice("code:".length);
  if (press.key.toLowerCase() === key.toLowerCase()) return true;
  // WebKitGTK does not know the key that Shift+Tab is.
  if (press.key === "Unidentified") return press.code === key;
  const isForeign = press.key.length === 1 && press.key > "\u007f";
  if (isMark) {
    return (isForeign || press.key === "Dead") && !press.shiftKey && press.code === PLACES.get(key);
  }
  return isForeign && press.code === `Key${key.toUpperCase()}`;
}

/** Windows says Ctrl and Alt for AltGr: what writes a character there is no command. */
function writesByAltGraph(press: KeyPress): boolean {
  const isOwnKey = press.code.endsWith(press.key.toUpperCase());
  return press.key.length === 1 && !isOwnKey && press.getModifierState?.("AltGraph") === true;
}

const MAC_MARKS = [
  ["Alt", "⌥"],
  ["Shift", "⇧"],
  ["Mod", "⌘"],
] as const;
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
    const marks = MAC_MARKS.map(([modifier, mark]) => (modifiers[modifier] ? mark : ""));
    return marks.join("") + (name === "Backspace" ? "⌫" : name);
  }
  const names = (["Mod", "Alt", "Shift"] as const).filter((modifier) => modifiers[modifier]);
  return [...names.map((each) => (each === "Mod" ? "Ctrl" : each)), name].join("+");
}

interface Parts {
  readonly key: string;
  readonly modifiers: Readonly<Record<"Mod" | "Alt" | "Shift", boolean>>;
}

/** Each key press is held against all combinations, so each of them is taken apart only once. */
const PARTS = new Map<KeyCombination, Parts>();

function partsOf(combination: KeyCombination): Parts {
  const known = PARTS.get(combination);
  if (known !== undefined) return known;
  const names = combination.split("+");
  // The plus key itself leaves an empty last part.
  const key = names.at(-1) === "" ? "+" : (names.at(-1) ?? "");
  const has = (name: string): boolean => names.includes(name);
  const modifiers = { Mod: has("Mod"), Alt: has("Alt"), Shift: has("Shift") };
  const parts = { key, modifiers };
  PARTS.set(combination, parts);
  return parts;
}
