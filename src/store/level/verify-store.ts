import type { OutlineId } from "../../core/node-key.ts";
import type { KeyRange, View } from "../database.ts";
import type { History } from "./history.ts";
import { meaningOf, nameOf } from "../key-meaning.ts";
import { isIntact } from "../record.ts";
import { isLevelCorruption } from "../store-failure.ts";
import type { StoreKeys } from "../store-keys.ts";
import type { StoreProgress } from "../store-progress.ts";
import type { StoreFinding } from "./verify-outline.ts";
import { verifyOutline } from "./verify-outline.ts";

/**
 * Reads every record of a store, and tells what is damaged, missing or stray.
 * @param requireOpen throws when it is to end; asked again and again, at each outline too
 */
export async function verifyStore(
  view: View,
  { keys }: History,
  requireOpen: () => void,
  onProgress: (progress: StoreProgress) => void = () => undefined,
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = [];
  for (const range of keys.accounts)
    findings.push(...(await verifyRecords(view, range, requireOpen)));
  const outlines = await allOutlines(view, keys, requireOpen).catch((error: unknown) => {
    findings.push(damagedTable(error));
    return new Set<OutlineId>();
  });
  let done = 0;
  for (const outline of outlines) {
    requireOpen();
    findings.push(...(await verifyOutline(view, keys, outline)));
    done += 1;
    onProgress({ outlines: done, of: outlines.size });
  }
  return findings;
}

async function verifyRecords(
  view: View,
  range: KeyRange,
  requireOpen: () => void,
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = [];
  try {
    for await (const page of view.entries(range)) {
      requireOpen();
      for (const { key, value } of page) {
        if (!isIntact(key, value))
          findings.push({ kind: "damaged", record: nameOf(meaningOf(key)) });
      }
    }
  } catch (error) {
    findings.push(damagedTable(error));
  }
  return findings;
}

/** @throws what is no damage */
function damagedTable(error: unknown): StoreFinding {
  if (!isLevelCorruption(error)) throw error;
  return { kind: "damaged", record: "a table of the database" };
}

/**
 * Those with a head, and those that have records without one.
 * @param requireOpen throws when it is to end: of many outlines it takes seconds
 */
export async function allOutlines(
  view: View,
  keys: StoreKeys,
  requireOpen: () => void = () => undefined,
): Promise<ReadonlySet<OutlineId>> {
  const outlines = new Set<OutlineId>();
  for await (const page of view.keys(keys.heads)) {
    requireOpen();
    for (const key of page) {
      const meaning = meaningOf(key);
      if (meaning.kind === "head") outlines.add(meaning.outline);
    }
  }
  // From outline to outline by seeks, past all that an outline holds.
  let { from } = keys.outlines;
  for (;;) {
    requireOpen();
    const key = await firstKey(view, { from, to: keys.outlines.to });
    if (key === undefined) return outlines;
    const meaning = meaningOf(key);
    if ("outline" in meaning) outlines.add(meaning.outline);
    from = "outline" in meaning ? keys.outline(meaning.outline).to : `${key}\0`;
  }
}

async function firstKey(view: View, range: KeyRange): Promise<string | undefined> {
  for await (const [key] of view.keys(range, { limit: 1 })) return key;
  return undefined;
}
