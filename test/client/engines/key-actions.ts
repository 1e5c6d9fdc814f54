/** A place in the window, in CSS pixels from its top left corner. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A step of a keyboard or a mouse, as WebDriver's two protocols write it. */
export type KeyAction = { readonly type: "keyDown" | "keyUp"; readonly value: string };

export type PointerAction =
  | {
      readonly type: "pointerMove";
      readonly x: number;
      readonly y: number;
      readonly duration: number;
    }
  | { readonly type: "pointerDown" | "pointerUp"; readonly button: 0 };

/** What one device does, step by step. */
export type InputSource =
  | { readonly type: "key"; readonly id: string; readonly actions: readonly KeyAction[] }
  | {
      readonly type: "pointer";
      readonly id: string;
      readonly parameters: { readonly pointerType: "mouse" };
      readonly actions: readonly PointerAction[];
    };

/** The characters that stand for keys without one of their own: WebDriver, "keyboard actions". */
const NAMED_KEYS: Readonly<Record<string, string>> = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Escape: "\uE00C",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
  Meta: "\uE03D",
};

function keyValue(name: string): string {
  const value = NAMED_KEYS[name] ?? name;
  if (Array.from(value).length !== 1) throw new Error(`no key is named ${name}`);
  return value;
}

/**
 * Presses a key while others are held, `Enter` or `Control+Shift+k`: all go down in this order and up
 * the other way round.
 */
export function combinationActions(combination: string): InputSource {
  const keys = combination.split(/\+(?=.)/).map(keyValue);
  const actions: KeyAction[] = [
    ...keys.map((value): KeyAction => ({ type: "keyDown", value })),
    ...keys.toReversed().map((value): KeyAction => ({ type: "keyUp", value })),
  ];
  return { type: "key", id: "keyboard", actions };
}

/** Presses the key of each character. */
export function typingActions(text: string): InputSource {
  const actions = Array.from(text).flatMap((value): KeyAction[] => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);
  return { type: "key", id: "keyboard", actions };
}

/** Moving takes a moment, so that the page sees the way and not only its end. */
const MOVE_MS = 50;

/** Presses the mouse's button at the first place, moves over the others, and lets go at the last. */
export function dragActions(path: readonly Place[]): InputSource {
  const moves = path.map(({ x, y }, index): PointerAction => ({
    type: "pointerMove",
    x: Math.round(x),
    y: Math.round(y),
    duration: index === 0 ? 0 : MOVE_MS,
  }));
  const actions: PointerAction[] = [
    ...moves.slice(0, 1),
    { type: "pointerDown", button: 0 },
    ...moves.slice(1),
    { type: "pointerUp", button: 0 },
  ];
  return { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
}
