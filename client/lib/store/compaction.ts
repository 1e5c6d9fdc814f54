import type * as Y from "yjs";
import { applyStoredUpdate, applyUnfollowed } from "../../../src/core/yjs/apply-stored-update.ts";
import type { ReplicaMeta } from "./replica-meta.ts";

/** A smaller tail is read so quickly that nothing would be gained. */
const WORTHWHILE_BYTES = 256 * 1024;
const SMALL_BYTES = 10_000;
/** Each update takes a record to read and a transaction to apply, however small it is. */
const MANY_UPDATES = 5_000;

/**
 * Whether compacting pays: it rewrites everything, so what it writes over the years stays below
 * twice of what people write, except for outlines that grow by very many small updates.
 */
export function isWorthCompacting({ stateBytes, tailBytes, tailUpdates }: ReplicaMeta): boolean {
  return tailBytes > Math.max(stateBytes, WORTHWHILE_BYTES) || tailUpdates > MANY_UPDATES;
}

/**
 * Applies one of the updates that a store holds, to a document that nobody follows yet: what is large
 * was merged by who wrote it; what is small are letters, which become words here.
 */
export function applyFromStore(doc: Y.Doc, update: Uint8Array, origin?: unknown): void {
  if (update.byteLength < SMALL_BYTES) applyUnfollowed(doc, update, origin);
  else applyStoredUpdate(doc, update, origin);
}
