import type { OutlineId } from "../../../src/core/node-key.ts";
import type { DamagedOutcome } from "./damaged-store.ts";
import { type FilledStore, wholeOf } from "./filled-store.ts";
import { differencesOf, hasAllLines, isPartOf, REFUSED } from "./store-contents.ts";

type Opened = Extract<DamagedOutcome, { kind: "opened" }>;

/**
 * What of a damaged store is served wrong, or is missing without a word of it; empty when all is
 * well: an outline is whole, refused by its name, or less than it was where that was told.
 *
 * What stands by itself is judged less strictly, and counted in `vanished`: a user, a key, a session,
 * who holds a client id. LevelDB may take its entry for none when a bit flips in the entry's own
 * number, and nothing else tells that there was one.
 */
export function silentLosses(
  { contents, isToldOf, repaired }: Opened,
  filled: FilledStore,
  vanished: () => void,
): readonly string[] {
  const whole = wholeOf(filled);
  const mayLack = isToldOf || repaired?.isInDoubt === true;
  return differencesOf(contents, whole).filter((difference) => {
    const [subject = ""] = difference.split(":");
    const outline = subject as OutlineId;
    const isOfAccounts = subject === "accounts";
    const found = isOfAccounts ? contents.accounts : (contents.outlines[outline] ?? "");
    const expected = isOfAccounts ? whole.accounts : (whole.outlines[outline] ?? "");
    // What was mended is served.
    if (found === REFUSED) return repaired !== undefined;
    const isNamed = repaired?.outlines.some((each) => each.outline === outline) === true;
    const isOtherNamed = isOfAccounts && (repaired?.otherRecords ?? 0) > 0;
    if (mayLack || isNamed || isOtherNamed) return !isPartOf(found, expected);
    if (!(isOfAccounts ? isPartOf(found, expected) : hasAllLines(found, expected))) return true;
    vanished();
    return false;
  });
}

/** The same where what was written last may be missing as well: after it nothing is there. */
export function isAsBefore(opened: Opened, filled: FilledStore): boolean {
  return filled.states.some(
    ({ contents }) => differencesOf(opened.contents, contents).length === 0,
  );
}
