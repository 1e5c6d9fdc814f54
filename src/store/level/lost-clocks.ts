import type { OutlineId } from "../../core/node-key.ts";
import {
  type Clocks,
  type Missing,
  missingOf,
  StoredClocks,
} from "../../core/yjs/stored-clocks.ts";
import type { View } from "../database.ts";
import type { History } from "./history.ts";
import { LevelRecords } from "./level-records.ts";
import { PAGE_BYTES } from "../outline-records.ts";
import { STATE_VECTOR } from "../snapshot-parts.ts";

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
    const theirs = new LevelRecords(backup.view, backup.history, outline);
    const ours = new LevelRecords(living.view, living.history, outline);
    const kept = await clocksOf(theirs);
    const lost = new Map<number, number>();
    const all = [await theirs.lost(), await ours.lost(), await clocksOf(ours)];
    for (const [client, end] of all.flatMap((clocks) => [...clocks])) {
      if (end > Math.max(kept.get(client) ?? 0, lost.get(client) ?? 0)) lost.set(client, end);
    }
    return { ends: lost, missing: missingOf(lost, (client) => kept.get(client) ?? 0) };
  } catch {
    return undefined;
  }
}

async function clocksOf(records: LevelRecords): Promise<Clocks> {
  const clocks = new StoredClocks();
  const snapshot = await records.snapshot();
  if (snapshot !== undefined) {
    const stateVector = await records.part(snapshot.seq, STATE_VECTOR);
    if (stateVector === undefined) throw records.corrupt("its state vector is missing");
    clocks.addStateVector(stateVector);
  }
  let after = snapshot?.seq ?? 0;
  for (let isAll = false; !isAll;) {
    const page = await records.updates(after, PAGE_BYTES);
    for (const { update } of page.records) clocks.addUpdate(update);
    after = page.records.at(-1)?.seq ?? after;
    ({ isAll } = page);
  }
  return clocks.ends;
}
