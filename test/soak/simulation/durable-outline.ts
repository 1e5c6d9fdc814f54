import * as Y from "yjs";
import { applyUnfollowed } from "../../../src/core/yjs/apply-stored-update.ts";
import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import { assertIndex } from "../../property/invariants.ts";
import type { ServerDisk } from "./server-disk.ts";

/**
 * What the server's disk holds of an outline, as a document: read from the bytes on the disk, past
 * everything that the server has in memory. Nothing is tidied up: nobody else would have those
 * deletions.
 */
export class DurableOutline {
  /** How often nodes were shown elsewhere than they say, and what was wrong with it. */
  fallen = 0;
  readonly problems: string[] = [];
  /** Nodes that were there and were taken out of the document for good. */
  readonly purged = new Set<NodeKey>();
  readonly #disk: ServerDisk;
  readonly #id: OutlineId;
  #doc = new Y.Doc();
  #outline: Outline | undefined;
  #epoch = "";
  #seq = 0;

  constructor(disk: ServerDisk, id: OutlineId) {
    this.#disk = disk;
    this.#id = id;
  }

  /** As it is now. */
  get doc(): Y.Doc {
    this.#follow();
    return this.#doc;
  }

  /** The same as the tree that it is. */
  get outline(): Outline {
    const { doc } = this;
    if (this.#outline?.doc !== doc) this.#outline = this.attach();
    return this.#outline;
  }

  /** The tree, worked out from scratch. */
  attach(): Outline {
    return Outline.attach(this.doc, { id: this.#id, now: () => 0, random: () => 0 });
  }

  get head(): number {
    return this.#disk.disk.outlines.get(this.#id)?.head ?? 0;
  }

  /** Whether everything in an update, writing and deleting, is on the disk. */
  has(update: Uint8Array): boolean {
    const { store } = this.doc;
    const { structs, ds } = Y.decodeUpdate(update);
    const isThere = structs.every(
      ({ id, length }) => id.clock + length <= Y.getState(store, id.client),
    );
    return isThere && [...ds.clients].every(([client, ranges]) => isDeleted(store, client, ranges));
  }

  /** Reads everything anew, from the snapshot on: what was there must still be there. */
  reread(): void {
    const before = this.#epoch === this.#disk.disk.epoch ? this.#doc : undefined;
    this.#seq = Number.NaN;
    this.#follow();
    if (before === undefined) return;
    for (const [client, structs] of before.store.clients) {
      const last = structs.at(-1);
      const end = last === undefined ? 0 : last.id.clock + last.length;
      if (Y.getState(this.#doc.store, client) < end) {
        throw new Error(`the disk has lost structs of ${client} that were on it`);
      }
    }
  }

  /** Between an update and the server's repair of it rings are shown: as the rules want it. */
  #checkFallen(): void {
    const outline = this.#outline;
    if (outline?.doc !== this.#doc || outline.tree.fallenRows().size === 0) return;
    this.fallen += 1;
    try {
      assertIndex(outline);
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
    }
  }

  #follow(): void {
    const { epoch, outlines } = this.#disk.disk;
    const stored = outlines.get(this.#id);
    if (stored === undefined) return;
    const first = stored.head - stored.updates.length + 1;
    const before = this.#doc;
    const isBehind = epoch !== this.#epoch || !(this.#seq + 1 >= first) || this.#seq > stored.head;
    if (isBehind) {
      this.#doc = new Y.Doc();
      for (const chunk of stored.snapshot?.chunks ?? []) applyUnfollowed(this.#doc, chunk);
      this.#seq = stored.snapshot?.seq ?? 0;
      this.#epoch = epoch;
    }
    for (const update of stored.updates.slice(this.#seq + 1 - first)) {
      applyUnfollowed(this.#doc, update);
      this.#checkFallen();
    }
    this.#seq = stored.head;
    if (before !== this.#doc) this.#notePurges(before);
    if (this.#doc.store.pendingStructs !== null) throw new Error("the log on the disk has a gap");
  }

  /** What was purged between one reading of the disk and another, and what will be from now on. */
  #notePurges(before: Y.Doc): void {
    const nodes = nodesOf(this.#doc);
    for (const key of nodesOf(before).keys()) if (!nodes.has(key)) this.purged.add(key as NodeKey);
    nodes.observe(({ changes }) => {
      for (const [key, { action }] of changes.keys) {
        if (action === "delete") this.purged.add(key as NodeKey);
      }
    });
  }
}

function isDeleted(
  store: Y.Doc["store"],
  client: number,
  ranges: readonly { readonly clock: number; readonly len: number }[],
): boolean {
  const structs = store.clients.get(client);
  return ranges.every(({ clock, len }) => {
    if (structs === undefined || clock + len > Y.getState(store, client)) return false;
    for (let index = Y.findIndexSS(structs, clock); index < structs.length; index++) {
      const struct = structs[index];
      if (struct === undefined || struct.id.clock >= clock + len) return true;
      if (!struct.deleted) return false;
    }
    return true;
  });
}
