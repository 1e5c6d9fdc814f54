import { StoreError } from "../../documents/log/outline-log.ts";
import type { View } from "../database.ts";
import { readHeads } from "./heads.ts";
import type { History } from "./history.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Clocks } from "../../core/yjs/stored-clocks.ts";
import { lostClocks } from "./lost-clocks.ts";
import { allOutlines } from "./verify-store.ts";

/** What a store has and a backup has not: devices that have it bring it back. */
export interface LackingUpdates {
  /** Updates, by their numbers. */
  readonly updates: number;
  /** Outlines of which the backup lacks something, or that it does not have. */
  readonly outlines: number;
  /** Characters and values in those of them that the backup has. */
  readonly clocks: number;
  /** Client ids under which these were written. */
  readonly clients: number;
}

/** The same, and which they are. */
export interface Lacking extends LackingUpdates {
  readonly lost: ReadonlyMap<OutlineId, Clocks>;
}

const OUTLINES_AT_ONCE = 1_000;

/**
 * Counts what is newer than a backup. Outlines whose head can't be read are left out.
 * @param requireOpen throws when it is to end; asked before each outline
 */
export async function lackingUpdates(
  living: { readonly view: View; readonly history: History },
  backup: { readonly view: View; readonly history: History },
  requireOpen: () => void,
): Promise<Lacking> {
  const all = [...(await allOutlines(living.view, living.history.keys, requireOpen))];
  let updates = 0;
  let outlines = 0;
  let clocks = 0;
  let clients = 0;
  const lost = new Map<OutlineId, Clocks>();
  for (let from = 0; from < all.length; from += OUTLINES_AT_ONCE) {
    const some = all.slice(from, from + OUTLINES_AT_ONCE);
    const kept = await readHeads(backup.view, backup.history.keys, some);
    for (const [outline, head] of await readHeads(living.view, living.history.keys, some)) {
      requireOpen();
      const before = kept.get(outline) ?? 0;
      if (head instanceof StoreError || before instanceof StoreError) continue;
      const own = before > 0 ? await lostClocks(living, backup, outline) : undefined;
      if (own !== undefined && own.ends.size > 0) {
        lost.set(outline, own.ends);
        clocks += own.missing.clocks;
        clients += own.missing.clients;
      }
      const lacking = (head ?? 0) - before;
      if (lacking <= 0) continue;
      updates += lacking;
      outlines += 1;
    }
  }
  return { updates, outlines, clocks, clients, lost };
}
