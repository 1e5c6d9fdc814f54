import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { parseDeletion } from "../node/deletion-mark.ts";
import { isReservedKey, type NodeKey } from "../node-key.ts";
import { ATTRIBUTE, nodesOf } from "../schema.ts";
import { itemsByKey } from "../yjs/inside.ts";

/** Keys that are remembered. Of more than that, those that were removed first count as purged. */
const MOST = 4_096;
/** Entries that are looked at in one go. */
const SLICE = 4_096;

/**
 * Tells an entry of `nodes` that comes back from one that nobody may bring back (rule D111). A client
 * that removes an entry may put it there again, as an undo manager does. What the server has removed
 * was deleted for good, and Yjs says of neither who removed it: so the keys that clients removed are
 * remembered, in snapshots too.
 */
export class RemovedKeys {
  /** The last one that was removed last: at most `MOST` [Q40]. */
  readonly #byClients = new Set<NodeKey>();
  /** Keys that somebody has written under again: at most those of the updates since the last run [Q40]. */
  readonly #again = new Set<NodeKey>();
  /** What others than the server deleted in the tail, while it is looked at [Q40]. */
  #replayed: DeleteSet[] = [];

  get isEmpty(): boolean {
    return this.#again.size === 0;
  }

  /** To be called with each key of `nodes` that others changed, before garbage is collected. */
  observe(transaction: Y.Transaction, key: NodeKey): void {
    if (isReservedKey(key)) return;
    const nodes = nodesOf(transaction.doc);
    const now = itemsByKey(nodes).get(key);
    if (now === undefined) return;
    if (now.deleted) {
      if (wasRemoved(transaction, now) && !wasFinal(now)) this.#note(key);
      return;
    }
    for (let before = now.left; before !== null; before = before.left) {
      if (!wasThere(transaction, before)) continue;
      const isKnown = wasRemoved(transaction, before)
        ? !wasFinal(before)
        : this.#byClients.has(key);
      if (!isKnown) this.#again.add(key);
      return;
    }
  }

  /** The keys under which somebody has written again since this was last asked. */
  take(): readonly NodeKey[] {
    const keys = [...this.#again];
    this.#again.clear();
    return keys;
  }

  /** Looks at what somebody else than the server deleted in the tail, before `endReplay`. */
  replay(deletes: DeleteSet): void {
    this.#replayed.push(deletes);
  }

  /** Yields from time to time. */
  *endReplay(doc: Y.Doc): Generator<void> {
    const deletes = Y.mergeDeleteSets(this.#replayed);
    this.#replayed = [];
    if (deletes.clients.size === 0) return;
    let seen = 0;
    for (const [key, { id, deleted }] of itemsByKey(nodesOf(doc))) {
      if (++seen % SLICE === 0) yield;
      if (deleted && Y.isDeleted(deletes, id)) this.#note(key as NodeKey);
    }
  }

  encode(encoder: encoding.Encoder): void {
    encoding.writeVarUint(encoder, this.#byClients.size);
    for (const key of this.#byClients) encoding.writeVarString(encoder, key);
  }

  /** Takes in what `encode` wrote. @throws when the bytes are something else */
  decode(decoder: decoding.Decoder): void {
    for (let left = decoding.readVarUint(decoder); left > 0; left--) {
      this.#note(decoding.readVarString(decoder) as NodeKey);
    }
  }

  #note(key: NodeKey): void {
    if (isReservedKey(key)) return;
    this.#byClients.delete(key);
    this.#byClients.add(key);
    if (this.#byClients.size <= MOST) return;
    for (const first of this.#byClients) {
      this.#byClients.delete(first);
      return;
    }
  }
}

type DeleteSet = Y.Transaction["deleteSet"];

/** Whether an entry was there before a transaction, deleted or not. */
function wasThere({ beforeState }: Y.Transaction, { id }: Y.Item): boolean {
  return id.clock < (beforeState.get(id.client) ?? 0);
}

function wasRemoved({ deleteSet }: Y.Transaction, { id }: Y.Item): boolean {
  return Y.isDeleted(deleteSet, id);
}

/** Whether a node was deleted for good when its entry was removed, by the same transaction. */
function wasFinal(entry: Y.Item): boolean {
  const { content } = entry;
  const text = content instanceof Y.ContentType ? content.type : undefined;
  const mark = text && itemsByKey(text).get(ATTRIBUTE.deletion)?.content.getContent().at(-1);
  return typeof mark === "string" && parseDeletion(mark)?.kind === "final";
}
