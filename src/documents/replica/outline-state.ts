import * as Y from "yjs";
import { OutlineSize } from "../../core/room/outline-size.ts";
import { marksOf, metaOf, nodesOf, shortcutsOf } from "../../core/schema.ts";
import { applyStoredUpdate, leaveUntidied } from "../../core/yjs/apply-stored-update.ts";
import { cutAhead } from "../../core/yjs/cut-ahead.ts";
import { mergeDeletedInOnePass } from "../../core/yjs/merge-deleted.ts";
import { SENT_LIMITS, stateChunks } from "../../core/yjs/state-chunks.ts";
import { StateDiff } from "../../core/yjs/state-diff.ts";
import type { LoadedOutline } from "../log/outline-log.ts";
import { isPending } from "../../core/yjs/struct-store.ts";

/** Updates of the tail share transactions of this length: each transaction has a price of its own. */
const BATCH_MS = 4;

/**
 * The document of an outline in memory, and all that is made of it as bytes. Who reads, writes and
 * repairs works on the document and encodes none of it: whether all of it is there is known here alone.
 */
export class OutlineState {
  readonly doc = new Y.Doc();
  /** What of it takes memory, and how many have written to it. */
  readonly size: OutlineSize;
  readonly #diff: StateDiff;

  constructor() {
    const { doc } = this;
    mergeDeletedInOnePass(doc);
    // From its first update on: what is tidied up before anybody follows it is an edit of nobody's.
    doc.on("afterTransaction", leaveUntidied);
    // Defined before anything is applied: a root that gets its kind later is converted, in one go.
    nodesOf(doc);
    shortcutsOf(doc);
    marksOf(doc);
    metaOf(doc);
    this.size = new OutlineSize(doc);
    this.#diff = new StateDiff(doc);
  }

  /**
   * Takes in what is stored, in steps of some milliseconds, and takes the chunks out of the snapshot as
   * it goes: they would be in memory twice. @throws when it does not make a document
   */
  *load({ snapshot, updates }: Pick<LoadedOutline, "snapshot" | "updates">): Generator<void> {
    const { doc } = this;
    const chunks = snapshot?.chunks ?? [];
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      applyStoredUpdate(doc, chunk);
      yield;
    }
    yield* cutAhead(
      doc,
      updates.map(({ update }) => update),
    );
    this.size.noteCuts();
    let index = 0;
    while (index < updates.length) {
      const end = performance.now() + BATCH_MS;
      doc.transact(() => {
        for (; index < updates.length && performance.now() < end; index++) {
          Y.applyUpdate(doc, updates[index]?.update ?? new Uint8Array());
        }
      });
      yield;
    }
    this.#requireNothingPending();
  }

  /** Makes what each difference needs, in steps, as far as it is not there. */
  prepare(): Generator<void> {
    return this.#diff.prepare();
  }

  /** What it has, as Yjs encodes it. */
  stateVector(): Uint8Array {
    return this.#diff.stateVector();
  }

  /**
   * What a replica with these clocks lacks, as updates to be applied in this order: one when that is
   * little, else chunks. All say what was there when the first one was asked for, and may have later
   * deletions.
   */
  *diff(known: ReadonlyMap<number, number>): Generator<Uint8Array, void> {
    if (this.#diff.isLittle(known)) yield this.#diff.encode(known);
    else yield* stateChunks(this.doc, known, SENT_LIMITS);
  }

  /** All of it, as a snapshot has it: see `Snapshot`. */
  chunks(): Generator<Uint8Array, void> {
    return stateChunks(this.doc, new Map(), SENT_LIMITS);
  }

  /** Applies an update that was judged. @throws when that can't be, or leaves something pending */
  apply(update: Uint8Array, origin: symbol): void {
    Y.applyUpdate(this.doc, update, origin);
    this.#requireNothingPending();
  }

  /** Lets go of it. */
  destroy(): void {
    this.size.detach();
    this.doc.destroy();
  }

  #requireNothingPending(): void {
    if (isPending(this.doc)) throw new Error("parts are missing");
  }
}
