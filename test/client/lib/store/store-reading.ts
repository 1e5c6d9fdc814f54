import type { ReplicaStore, StoreFailure } from "../../../../client/lib/store/replica-store.ts";
import { StoreError } from "../../../../client/lib/store/replica-store.ts";

export async function updatesOf(store: ReplicaStore): Promise<readonly Uint8Array[]> {
  const updates: Uint8Array[] = [];
  for await (const update of (await store.read()).updates) updates.push(update);
  return updates;
}

/** How an operation of a store failed; any other error than a StoreError goes on. */
export async function codeOf(operation: Promise<unknown>): Promise<StoreFailure | "none"> {
  try {
    await operation;
    return "none";
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}
