import type * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { Platform } from "./platform.ts";
import { applyFromStore } from "./store/compaction.ts";

/** Marks what this replica did not write itself. */
export const FROM_ELSEWHERE = Symbol("from the store, the server or another tab");

/** Time that is spent at a stretch while nobody waits for it. */
const SLICE_MS = 12;

type Pace = Pick<Platform, "elapsed" | "yieldNow">;

/** Applies what a store holds in slices, before anybody follows the document. */
export async function applyInSlices(
  doc: Y.Doc,
  updates: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { elapsed, yieldNow }: Pace,
): Promise<void> {
  let began = elapsed();
  for await (const update of updates) {
    applyFromStore(doc, update, FROM_ELSEWHERE);
    if (elapsed() - began < SLICE_MS) continue;
    await yieldNow();
    began = elapsed();
  }
}

/** Reads a document's tree in slices. The document must not change meanwhile. */
export async function outlineInSlices(
  doc: Y.Doc,
  id: OutlineId,
  { now, random, yieldNow }: Pick<Platform, "now" | "random" | "yieldNow">,
): Promise<Outline> {
  const work = Outline.attachInSlices(doc, { id, now, random, isDevice: true });
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldNow();
  }
}
