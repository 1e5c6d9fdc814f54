import type * as Y from "yjs";
import { isSeedClient, seedClientOf } from "../calendar/month-seed.ts";
import type { NodeKey } from "../node-key.ts";
import type { OutlineFull } from "./outline-full.ts";
import { systemChain } from "../calendar/system-nodes.ts";
import { clientsOf, clockOf } from "../yjs/struct-store.ts";

/**
 * Years and months that an outline may have seeds of: those of 180 years. Each writes under a client id
 * of its own, which makes every transaction half a microsecond slower, for ever.
 */
export const MAX_SEEDS_OF_OUTLINE = 2_400;

/** Why a document takes no more seeds. @param adds how many new ones */
export function fullOfSeeds(doc: Y.Doc, adds: number): OutlineFull | undefined {
  if (adds === 0) return undefined;
  let has = 0;
  for (const client of clientsOf(doc)) if (isSeedClient(client)) has++;
  if (has + adds <= MAX_SEEDS_OF_OUTLINE) return undefined;
  return { kind: "outline_full", quota: "seeds", has, adds, limit: MAX_SEEDS_OF_OUTLINE };
}

/** How many new seeds it takes to make a reserved node, with those that it is in. */
export function newSeedsFor(doc: Y.Doc, key: NodeKey): number {
  const clients = new Set(systemChain(key).map((each) => seedClientOf(each)));
  let count = 0;
  for (const client of clients) {
    if (client !== undefined && clockOf(doc, client) === 0) count++;
  }
  return count;
}
