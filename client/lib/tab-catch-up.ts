import type * as Y from "yjs";
import type { OwnEdit } from "./outbox.ts";
import type { ReplicaCore } from "./replica-core.ts";
import { type ReplicaPosition, StoreError } from "./store/replica-store.ts";
import type { TabLink } from "./tab-link.ts";

export interface TabCatchUpParts {
  readonly link: TabLink;
  readonly postOwn: (edits: readonly OwnEdit[]) => void;
  /** Updates that make up the state of a document; of a tab that leads. */
  readonly stateOf: (doc: Y.Doc) => Promise<Iterable<Uint8Array>>;
}

/**
 * How a tab that has opened comes to have what the leading one has, from which it only hears what is
 * new: it reads that in the store, or is told it where it can't.
 */
export class TabCatchUp {
  readonly #replica: ReplicaCore;
  readonly #parts: TabCatchUpParts;
  /** Whether the document has all that came before what the leader tells. */
  isInStep = false;

  /** @param replica of the tab */
  constructor(replica: ReplicaCore, parts: TabCatchUpParts) {
    this.#replica = replica;
    this.#parts = parts;
  }

  // What the leading tab does.

  /** Tells a tab that has opened where it finds what it did not hear of. */
  async welcome(): Promise<void> {
    const { own, position } = this.#replica;
    try {
      await own.writer.stored();
      await this.#replica.readLeft();
      this.#parts.link.post({ kind: "stored", position });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await this.tellState();
    }
  }

  /** Tells all that the document has, and what of it is not sent, to tabs that can't read the store. */
  async tellState(): Promise<void> {
    const { link, postOwn, stateOf } = this.#parts;
    const updates = await stateOf(this.#replica.doc);
    const { own, position } = this.#replica;
    for (const update of updates) link.post({ kind: "received", update, position });
    postOwn(own.outbox);
    link.post({ kind: "complete", position });
  }

  // What the others do.

  /** The store has all up to a position. */
  async readStored(position: ReplicaPosition): Promise<void> {
    if (this.isInStep) return;
    const { own, status } = this.#replica;
    const known = own.outbox;
    const news = await this.#replica.readLeft();
    if (news === undefined) return this.#parts.link.post({ kind: "state_wanted" });
    this.isInStep = true;
    this.toldPosition(position);
    // What was settled before this tab could hear of it.
    const stored = new Set(news.outbox.map(({ number }) => number));
    const isGone = ({ number }: OwnEdit): boolean => number !== undefined && !stored.has(number);
    own.settle(known.filter(isGone), false);
    status.renew();
  }

  /** All was told, up to a position. */
  toldState(position: ReplicaPosition): void {
    if (this.isInStep) return;
    const { own } = this.#replica;
    this.isInStep = true;
    this.toldPosition(position);
    // Some may have been settled before this tab could hear of it: then they are settled once more.
    this.#parts.postOwn(own.outbox.filter((edit) => !own.isMine(edit)));
  }

  /** The leader stands there. */
  toldPosition(told: ReplicaPosition): void {
    const { epoch, seq } = this.#replica.position;
    if (this.isInStep && (told.epoch !== epoch || told.seq > seq)) this.#replica.standAt(told);
  }
}
