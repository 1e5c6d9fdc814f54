import type * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { mergedUpdate } from "../../src/core/yjs/merged-update.ts";
import { LatePart } from "./late-part.ts";
import type { FreshReplica } from "./leader.ts";
import type { Leading } from "./leading.ts";
import { outlineInSlices } from "./load-replica.ts";
import { LostStore } from "./lost-store.ts";
import { type OwnEdit, tokensOf, updatesOf } from "./outbox.ts";
import { hexOf, ReplicaCore, type ReplicaCoreParts } from "./replica-core.ts";
import type { StoredReplica } from "./store/replica-store.ts";
import type { TabLink } from "./tab-link.ts";

export interface ReplaceableReplicaParts extends ReplicaCoreParts {
  readonly link: TabLink;
  /** Fetches what it takes to lead, and to be written anew. */
  readonly loadLeading: () => Promise<Leading>;
  /** Whether what is stored may be stored once more, when it was deleted; absent: it may not. */
  readonly mayStoreAnew?: (() => boolean) | undefined;
}

/** A replica that is put into the store as a whole: in the place of another one, or of what was lost. */
export abstract class ReplaceableReplica extends ReplicaCore {
  protected readonly link: TabLink;
  protected readonly leading: LatePart<Leading>;
  protected readonly lostStore: LostStore;
  /** Edits of the replica before that are in the newest one, which may not be stored yet. */
  protected included: readonly string[] = [];
  protected isClosed = false;

  constructor(
    parts: ReplaceableReplicaParts,
    outline: Outline,
    outlineId: OutlineId | undefined,
    stored: StoredReplica,
  ) {
    super(parts, outline, outlineId, stored);
    const { link, store, platform, loadLeading, mayStoreAnew = () => false } = parts;
    this.link = link;
    this.leading = new LatePart(loadLeading, platform, () => this.onLeadingMissing());
    this.lostStore = new LostStore(store, platform, mayStoreAnew, () => void this.#storeAnew());
  }

  /** What it takes to lead can't be had; it is tried again. */
  protected abstract onLeadingMissing(): void;

  /** A replica that was fetched anew takes the place of this one. */
  async onFresh({ doc, catchUp, lost }: FreshReplica): Promise<void> {
    const { platform } = this;
    const { writeAnew, stateChunks } = await this.leading.loaded;
    const outline = await outlineInSlices(doc, this.current.outline.id, platform, this.clock);
    this.pool.follow(doc, []);
    await this.pool.renew();
    const position = catchUp();
    this.#replaceStored(doc, stateChunks, (unsaved) => {
      return this.writeAnew(writeAnew, [...lost, ...updatesOf(unsaved)], doc);
    });
    this.replaceBy(() => outline, position);
  }

  /** The store has begun anew, with nothing in it: it gets all that is here. */
  async #storeAnew(): Promise<void> {
    const { stateChunks } = await this.leading.loaded;
    // Under an id that is in no other store, should what was deleted come back.
    this.pool.follow(this.doc, []);
    await this.pool.renew();
    if (this.isClosed) return;
    const maySent = this.own.neverSent.length < this.own.unsavedCount;
    this.#replaceStored(this.doc, stateChunks, (unsaved) =>
      unsaved.length === 0 ? undefined : mergedUpdate(updatesOf(unsaved)),
    );
    if (maySent) this.own.markSent();
    if (this.outlineId !== undefined) this.own.writer.outline(this.outlineId);
    this.records.writeAll();
    this.status.renew();
  }

  /**
   * Puts a document into the store in the place of what is there.
   * @param made answers the edit that goes on in the place of all that is unsaved, if there is one
   */
  #replaceStored(
    doc: Y.Doc,
    stateChunks: Leading["stateChunks"],
    made: (unsaved: readonly OwnEdit[]) => Uint8Array | undefined,
  ): void {
    // Other tabs hear of nothing that is in the new replica before they hear of the replica itself.
    const generation = this.newGeneration();
    this.link.hush();
    const unsaved = this.own.unsaved;
    const update = made(unsaved);
    const included = tokensOf(unsaved);
    this.included = included;
    const edit = this.own.replace(
      update,
      this.status.since ?? this.platform.now(),
      () => ({
        updates: [...stateChunks(doc)],
        position: this.position,
        clients: this.pool.clients,
      }),
      () => this.link.speak({ kind: "replaced", generation, included }),
    );
    this.status.waits.replaced(included, edit === undefined ? [] : [edit.token]);
  }

  protected newGeneration(): string {
    const generation = hexOf(this.platform.randomBytes(8));
    this.link.generation = generation;
    return generation;
  }
}
