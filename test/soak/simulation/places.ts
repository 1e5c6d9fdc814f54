import { isReservedKey, ROOT, type NodeKey, type Random } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { Position } from "../../../src/core/tree/sibling-gap.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";

/**
 * Whether the texts of a node are only ever added to, so that each piece that was written into it
 * must be there once; in the others texts are cut, joined, replaced and copied.
 */
export function isGuarded(key: NodeKey): boolean {
  return (key.codePointAt(key.length - 1) ?? 0) % 2 === 0;
}

/** A visible node that is no system node. @param isRight is asked of a mirror's origin */
export function someNode(
  outline: Outline,
  random: Random,
  isRight: (key: NodeKey) => boolean = () => true,
): NodeKey | undefined {
  const keys = [...outline.keysInOrder()].filter(
    (key) => !isReservedKey(key) && isRight(outline.heldBy(key)),
  );
  return keys.length === 0 ? undefined : oneOf(random, keys);
}

export function somePlace(
  outline: Outline,
  random: Random,
): { readonly parent: NodeKey; readonly position: Position } {
  const beside = random() < 0.7 ? someNode(outline, random) : undefined;
  if (beside === undefined) return { parent: ROOT, position: random() < 0.5 ? "top" : "bottom" };
  const parent = outline.node(beside)?.parent ?? ROOT;
  switch (integerBelow(random, 4)) {
    case 0:
      return { parent, position: { after: beside } };
    case 1:
      return { parent, position: { before: beside } };
    case 2:
      return { parent: beside, position: "top" };
    default:
      return { parent: beside, position: "bottom" };
  }
}

/** As claims make them. */
const PIECE = /([\u4e00-\u9fff])😀\1/gu;

/** A place in a text that is in no piece that has to stay whole, and in no character. */
export function someGap(text: string, random: Random): number {
  let at = integerBelow(random, text.length + 1);
  while (at < text.length && isInside(text, at)) at++;
  return at;
}

function isInside(text: string, at: number): boolean {
  if (/[\uDC00-\uDFFF]/.test(text.charAt(at))) return true;
  for (const { index, 0: piece } of text.matchAll(PIECE)) {
    if (index < at && at < index + piece.length) return true;
  }
  return false;
}
