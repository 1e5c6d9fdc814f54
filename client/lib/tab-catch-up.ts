import type * as Y from "yjs";
import type { OwnEdit } from "./outbox.ts";
import type { OwnEdits } from "./own-edits.ts";
import type { ReplicaStatus } from "./replica-status.ts";
import { type ReplicaPosition, type ReplicaStore, StoreError } from "./store/replica-store.ts";
import type { TabLink } from "./tab-link.ts";

/** The replica of a tab. */
export interface TabCatchUpParts {
  readonly own: OwnEdits;
  readonly status: ReplicaStatus;
  readonly store: ReplicaStore;
  readonly link: TabLink;
  readonly doc: () => Y.Doc;
  readonly position: () => ReplicaPosition;
  readonly standAt: (position: ReplicaPosition) => void;
  /** Takes in what was written elsewhere. */
  readonly apply: (update: Uint8Array) => void;
  /** Takes in what tabs that have ended have stored. */
  readonly readLeft: () => Promise<unknown>;
  readonly postOwn: (edits: readonly OwnEdit[]) => void;
  /** Updates that make up the state of a document; of a tab that leads. */
  readonly stateOf: (doc: Y.Doc) => Promise<Iterable<Uint8Array>>;
}

/**
 * How a tab that has opened comes to have what the leading one has, from which it only hears what is
 * new: it reads that in the store, or is told it where it can't.
 */
export class TabCatchUp {
  readonly #parts: TabCatchUpParts;
  /** Whether the document has all that came before what the leader tells. */
  isInStep = false;

  constructor(parts: TabCatchUpParts) {
    this.#parts = parts;
  }

  // What the leading tab does.

  /** Tells a tab that has opened where it finds what it did not hear of. */
  async welcome(): Promise<void> {
    const { own, link, position, readLeft } = this.#parts;
    const reached = position();
    try {
      await own.writer.stored();
      await readLeft();
      link.post({ kind: "stored", position: reached });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await this.tellState();
    }
  }

  /** Tells all that the document has, and what of it is not sent, to tabs that can't read the store. */
  async tellState(): Promise<void> {
    const { own, link, doc, postOwn, stateOf } = this.#parts;
    const updates = await stateOf(doc());
    const position = this.#parts.position();
    for (const update of updates) link.post({ kind: "received", update, position });
    postOwn(own.outbox);
    link.post({ kind: "complete", position });
  }

  // What the others do.

  /** The store has all up to a position. */
  async readStored(position: ReplicaPosition): Promise<void> {
    if (this.isInStep) return;
    const { own, store, status, link, apply } = this.#parts;
    const known = own.outbox;
    try {
      const { updates, outbox } = await store.readNew();
      for (const update of updates) apply(update);
      this.isInStep = true;
      this.toldPosition(position);
      // What was settled before this tab could hear of it.
      const stored = new Set(outbox.map(({ number }) => number));
      const isGone = ({ number }: OwnEdit): boolean => number !== undefined && !stored.has(number);
      own.settle(known.filter(isGone), false);
      status.renew();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      link.post({ kind: "state_wanted" });
    }
  }

  /** All was told, up to a position. */
  toldState(position: ReplicaPosition): void {
    if (this.isInStep) return;
    const { own, postOwn } = this.#parts;
    this.isInStep = true;
    this.toldPosition(position);
    // Some may have been settled before this tab could hear of it: then they are settled once more.
    postOwn(own.outbox.filter((edit) => !own.isMine(edit)));
  }

  /** The leader stands there. */
  toldPosition(told: ReplicaPosition): void {
    const { position, standAt } = this.#parts;
    const { epoch, seq } = position();
    if (this.isInStep && (told.epoch !== epoch || told.seq > seq)) standAt(told);
  }
}
