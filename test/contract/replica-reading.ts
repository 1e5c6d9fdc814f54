import * as Y from "yjs";

import type { ReplicaStore, StoreFailure } from "../../client/lib/store/replica-store.ts";
import { StoreError } from "../../client/lib/store/replica-store.ts";

/** Short updates whose bytes no store looks at. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (update: Uint8Array): string => new TextDecoder().decode(update);

export async function updatesOf(store: ReplicaStore): Promise<readonly Uint8Array[]> {
  const updates: Uint8Array[] = [];
  for await (const update of (await store.read()).updates) updates.push(update);
  return updates;
}

/** Everything that a store holds, with updates as text. */
export async function contentsOf(store: ReplicaStore) {
  const { position, outline, clients, outbox } = await store.read();
  return {
    position,
    outline,
    clients,
    outbox: outbox.map(({ number, update }) => [number, textOf(update)]),
    updates: (await updatesOf(store)).map(textOf),
  };
}

/** What a replica of one shared text shows. */
export async function shownIn(store: ReplicaStore): Promise<string> {
  const doc = new Y.Doc();
  for (const update of await updatesOf(store)) Y.applyUpdate(doc, update);
  return doc.getText().toJSON();
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

/** The edits of one device in a document, and what it shows then. */
export function editsOf(
  client: number,
  count: number,
  edit: (text: Y.Text, index: number) => void,
) {
  const doc = new Y.Doc();
  doc.clientID = client;
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (let index = 0; index < count; index++) doc.transact(() => edit(doc.getText(), index));
  return { doc, updates, shown: doc.getText().toJSON() };
}

/** 30 KB typed and 20 KB of them deleted, again and again: some 450 KB that compact well. */
export const wasteful = (client: number) =>
  editsOf(client, 30, (shared, index) => {
    if (index % 2 === 0) shared.insert(shared.length, `${index}:${"x".repeat(30_000)};`);
    else shared.delete(shared.length - 20_000, 15_000);
  });

/** A kilobyte typed, again and again: 400 KB in as many updates. */
export const manyKilobytes = (client: number) =>
  editsOf(client, 400, (shared, index) => {
    shared.insert(shared.length, `${index}:${"x".repeat(1000)};`);
  });

export function byteLength(updates: readonly Uint8Array[]): number {
  return updates.reduce((sum, update) => sum + update.byteLength, 0);
}
