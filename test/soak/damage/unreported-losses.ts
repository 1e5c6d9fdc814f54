import type { Opened } from "./open-damaged.ts";
import { REFUSED, type StoreContents } from "./store-contents.ts";

/**
 * What of a damaged store is neither as it was nor named as lost; empty when all is well: an outline
 * is whole or refused by its name, and users and keys are whole or said to be in doubt.
 */
export function unreportedLosses(
  { contents, salvage }: Opened,
  whole: StoreContents,
): readonly string[] {
  const losses: string[] = [];
  for (const [outline, content] of whole.outlines) {
    const found = contents.outlines.get(outline);
    const isNamed = salvage?.refused.includes(outline) ?? false;
    if (found === content && !isNamed) continue;
    if (found === REFUSED && isNamed) continue;
    losses.push(`${outline}: ${found} (named: ${isNamed}) in place of ${content}`);
  }
  if (contents.accounts !== whole.accounts && salvage?.mayLackAccounts !== true) {
    losses.push(`accounts: ${contents.accounts} in place of ${whole.accounts}`);
  }
  return losses;
}
