const COMPOSITION = 229;

/**
 * Whether a key belongs to an input method. The one that ends a composition comes behind its end in Safari,
 * marked only by its code.
 */
export function isComposing(key: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  return key.isComposing || key.keyCode === COMPOSITION;
}
