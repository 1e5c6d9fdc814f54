import type { OutlineId } from "../core/node-key.ts";
import { type Clocks, type Missing, missingOf, StoredClocks } from "../core/stored-clocks.ts";
import type { View } from "./database.ts";
import type { History } from "./history.ts";
import { readLostClocks } from "./lost-record.ts";
import { readStateVector, readUpdatePages } from "./outline-reads.ts";
import type { StoreKeys } from "./store-keys.ts";

/** What was there, and how much of it is not in a backup. */
export interface Lost {
  readonly ends: Clocks;
  readonly missing: Missing;
}

/**
 * What an outline has, or once had and lost, and a backup has not. Undefined when that can't be read:
 * an outline that is damaged may be what a backup is put back for.
 */
export async function lostClocks(
  living: { readonly view: View; readonly history: History },
  backup: { readonly view: View; readonly history: History },
  outline: OutlineId,
): Promise<Lost | undefined> {
  try {
    const kept = await clocksOf(backup.view, backup.history.keys, outline);
    const lost = new Map<number, number>();
    const all = [
      await readLostClocks(backup.view, backup.history.keys, outline),
      await readLostClocks(living.view, living.history.keys, outline),
      await clocksOf(living.view, living.history.keys, outline),
    ];
    for (const [client, end] of all.flatMap((clocks) => [...clocks])) {
      if (end > Math.max(kept.get(client) ?? 0, lost.get(client) ?? 0)) lost.set(client, end);
    }
    return { ends: lost, missing: missingOf(lost, (client) => kept.get(client) ?? 0) };
  } catch {
    return undefined;
  }
}

async function clocksOf(view: View, keys: StoreKeys, outline: OutlineId): Promise<Clocks> {
  const clocks = new StoredClocks();
  const snapshot = await readStateVector(view, keys, outline);
  if (snapshot !== undefined) clocks.addStateVector(snapshot.stateVector);
  for await (const update of readUpdatePages(view, keys, outline, snapshot?.seq ?? 0)) {
    clocks.addUpdate(update);
  }
  return clocks.ends;
}
