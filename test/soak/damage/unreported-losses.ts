import type { OutlineId } from "../../../src/core/node-key.ts";
import { type FilledStore, wholeOf } from "./filled-store.ts";
import type { Opened } from "./open-damaged.ts";
import { isSameContent, REFUSED } from "./store-contents.ts";

/**
 * What of a damaged store is neither as it was nor named as lost; empty when all is well: an outline
 * is whole or refused by its name, and users and keys are whole or said to be in doubt.
 */
export function unreportedLosses(
  { contents, salvage }: Opened,
  filled: FilledStore,
): readonly string[] {
  const whole = wholeOf(filled);
  const losses: string[] = [];
  for (const [outline, content] of whole.outlines) {
    const found = contents.outlines.get(outline) ?? "nothing";
    const isNamed = salvage?.refused.includes(outline) ?? false;
    if (isNamed && found === REFUSED) continue;
    const wasStored = found === content || formsOf(filled, outline).includes(found);
    if (!isNamed && wasStored && isSameContent(found, content)) continue;
    losses.push(`${outline}: ${found} (named: ${isNamed}) in place of ${content}`);
  }
  if (contents.accounts !== whole.accounts && salvage?.mayLackAccounts !== true) {
    losses.push(`accounts: ${contents.accounts} in place of ${whole.accounts}`);
  }
  return losses;
}

/** Everything that an outline was since the last start, as it was stored. */
function formsOf({ states }: FilledStore, outline: OutlineId): readonly string[] {
  return states.map(({ contents }) => contents.outlines.get(outline) ?? "");
}
