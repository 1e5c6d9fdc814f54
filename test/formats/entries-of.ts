import { ROOT } from "../../src/core/node-key.ts";
import { entriesInTurn, type EntrySource } from "../../src/formats/outline-entries.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";

/** All of an outline, without the pauses. */
export function entriesOf(source: EntrySource): readonly OutlineEntry[] {
  return [...entriesInTurn(source, ROOT)].filter((entry) => entry !== undefined);
}
