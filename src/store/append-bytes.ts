import type { Append } from "../documents/log/outline-log.ts";
import type { Operation } from "./database.ts";

/** About what a record costs in a commit beside its own bytes. */
export const ENTRY_BYTES = 64;

/** About what an operation adds to one. */
export function operationBytes({ value }: Operation): number {
  return ENTRY_BYTES + (value?.byteLength ?? 0);
}

/** About what an append adds to a commit. */
export function appendBytes({ updates, bindings = [], receipts, changes }: Append): number {
  const { added = [], removed = [] } = receipts ?? {};
  const { added: records = [], removed: outdated = [] } = changes ?? {};
  const entries =
    updates.length +
    bindings.length +
    added.length +
    removed.length +
    records.length +
    outdated.length;
  const payloads = [
    ...updates,
    ...added.map(({ answer }) => answer),
    ...records.map(({ data }) => data),
  ];
  return payloads.reduce((sum, { byteLength }) => sum + byteLength, entries * ENTRY_BYTES);
}
