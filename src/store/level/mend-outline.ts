import * as Y from "yjs";
import { applyUnfollowed } from "../../core/yjs/apply-stored-update.ts";
import type { OutlineId } from "../../core/node-key.ts";
import { type Missing, missingOf, StoredClocks } from "../../core/yjs/stored-clocks.ts";
import type { Operation, View } from "../database.ts";
import { putHead } from "./heads.ts";
import { type KeyMeaning, meaningOf } from "../key-meaning.ts";
import { readSnapshotHeader } from "./level-records.ts";
import { putLostClocks, readLostClocks } from "./lost-record.ts";
import type { SnapshotHeader } from "../outline-records.ts";
import { putSealed, unlessDamaged, unsealCompressed } from "../record.ts";
import { FIRST_CHUNK, STATE_VECTOR } from "../snapshot-parts.ts";
import type { StoreKeys } from "../store-keys.ts";
import { clockOf, forgetPending, isPending } from "../../core/yjs/struct-store.ts";

export interface MendedOutline {
  readonly outline: OutlineId;
  /** What makes it whole again. */
  readonly operations: readonly Operation[];
  /** Of what is known to have been there. What was only in records that are lost is not counted. */
  readonly missing: Missing;
}

/**
 * Makes an outline of which records are damaged, missing or stray one that can be served: as it is
 * after everything that is left of it and fits together, with a note of what is known to be lost.
 * To be followed by a new epoch, so that devices hand in what they have of it.
 */
export async function mendOutline(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<MendedOutline> {
  const found = await findRecords(view, keys, outline);
  const operations: Operation[] = found.useless.map((key) => ({ key }));
  const doc = new Y.Doc();
  const { clocks, snapshot } = found;
  const snapshotSeq = snapshot?.seq ?? 0;
  if (snapshot !== undefined) for (const chunk of found.chunks) applyUnfollowed(doc, chunk);
  // Without a whole snapshot its chunks are as good as updates, and come before all others.
  const pieces = snapshot === undefined ? [...found.chunks] : [];
  for (const { seq, update } of found.updates) if (seq > snapshotSeq) pieces.push(update);
  let head = snapshotSeq;
  for (const piece of pieces) {
    const update = whatFits(doc, piece);
    if (update === undefined) continue;
    head += 1;
    operations.push(putSealed(keys.update(outline, head), update));
  }
  operations.push(putHead(keys, outline, head));
  const ends = new Map([...clocks.ends].filter(([client, end]) => end > clockOf(doc, client)));
  if (ends.size > 0) operations.push(putLostClocks(keys, outline, ends));
  const missing = missingOf(ends, (client) => clockOf(doc, client));
  doc.destroy();
  return { outline, operations, missing };
}

interface FoundRecords {
  /** Undefined unless all of it is there. */
  readonly snapshot: SnapshotHeader | undefined;
  readonly chunks: readonly Uint8Array[];
  readonly updates: readonly { readonly seq: number; readonly update: Uint8Array }[];
  /** What is known to have been there once. */
  readonly clocks: StoredClocks;
  /** The keys of what can't stay as it is. */
  readonly useless: readonly string[];
}

const RENEWED: ReadonlySet<KeyMeaning["kind"]> = new Set([
  "unknown",
  "update",
  "receipt",
  "change",
]);

async function findRecords(view: View, keys: StoreKeys, outline: OutlineId): Promise<FoundRecords> {
  const header = await ifIntact(() => readSnapshotHeader(view, keys, outline));
  const lost = await ifIntact(() => readLostClocks(view, keys, outline));
  const clocks = new StoredClocks();
  if (lost !== undefined) clocks.addEnds(lost);
  const parts: Uint8Array[] = [];
  const partKeys: string[] = [];
  const updates: { seq: number; update: Uint8Array }[] = [];
  const useless: string[] = [];
  for await (const page of view.entries(keys.outline(outline))) {
    for (const { key, value } of page) {
      const meaning = meaningOf(key);
      const payload = await ifIntact(() => unsealCompressed(key, value));
      // Updates are numbered anew. What a receipt tells of may be lost, as may what has changed.
      if (payload === undefined || RENEWED.has(meaning.kind)) useless.push(key);
      if (payload === undefined) continue;
      if (meaning.kind === "update") {
        updates.push({ seq: meaning.seq, update: payload });
        clocks.addUpdate(payload);
      } else if (meaning.kind === "part" && (header === undefined || header.seq === meaning.seq)) {
        partKeys.push(key);
        if (meaning.part === STATE_VECTOR) clocks.addStateVector(payload);
        if (meaning.part >= FIRST_CHUNK) parts.push(payload);
      } else if (meaning.kind === "part") useless.push(key);
    }
  }
  const isWhole = header !== undefined && partKeys.length === header.parts;
  if (!isWhole) useless.push(keys.snapshot(outline), ...partKeys);
  const snapshot = isWhole ? header : undefined;
  return { snapshot, chunks: parts, updates, clocks, useless };
}

/**
 * Applies an update as far as nothing is missing that it refers to.
 * @returns what of it was applied; undefined when there is nothing
 */
function whatFits(doc: Y.Doc, update: Uint8Array): Uint8Array | undefined {
  let applied: Uint8Array | undefined;
  const note = (emitted: Uint8Array): void => void (applied = emitted);
  doc.on("update", note);
  applyUnfollowed(doc, update);
  doc.off("update", note);
  if (!isPending(doc)) return update;
  forgetPending(doc);
  return applied;
}

async function ifIntact<T>(read: () => Promise<T>): Promise<T | undefined> {
  return unlessDamaged(read, () => undefined);
}
