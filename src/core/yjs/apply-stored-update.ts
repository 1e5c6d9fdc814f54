import * as Y from "yjs";

/**
 * Applies an update to a document whose own changes nobody follows, since it is only being read:
 * nothing is tidied up, see {@link leaveUntidied}.
 */
export function applyUnfollowed(doc: Y.Doc, update: Uint8Array, origin?: unknown): void {
  applyWith(leaveUntidied, doc, () => Y.applyUpdate(doc, update, origin));
}

/**
 * The same for a part of a stored state, at the cost that it would have in one piece with
 * the others.
 *
 * At the end of each transaction Yjs (13.6) merges new structs with their neighbours. In a part of a
 * state there are neighbours between which a later part puts something, so they are cut again; every
 * cut moves the rest of the client's structs, and 100,000 nodes of which every fourth was edited take
 * 5.1 s in parts and 0.9 s in one piece. What is stored was merged when it was written: so here
 * nothing is, which Yjs is told by a transaction that seems to have begun where it ends. Nor does it
 * make an `update` event, nor note which types have changed, to tell whoever follows them: there are
 * as many as nodes.
 */
export function applyStoredUpdate(doc: Y.Doc, update: Uint8Array, origin?: unknown): void {
  const apply = (transaction: Y.Transaction): void => {
    transaction.changed = NO_CHANGES;
    Y.applyUpdate(doc, update, origin);
  };
  applyWith(finishStored, doc, () => Y.transact(doc, apply, origin, false));
}

function applyWith(
  finish: (transaction: Y.Transaction) => void,
  doc: Y.Doc,
  apply: () => void,
): void {
  doc.on("afterTransaction", finish);
  try {
    apply();
  } finally {
    doc.off("afterTransaction", finish);
  }
}

/**
 * Keeps Yjs (13.6) from tidying up after what came from outside. To be called when a transaction ends,
 * in `afterTransaction`.
 *
 * Yjs would delete formats that have no effect, in a transaction of its own. It looks at all of a text
 * for that, copies the open formats at each item, and walks over all neighbours of each item that was
 * deleted: an update of 12 bytes, which deletes 20,000 letters that were written one by one, takes 2 s.
 * It is also an edit, which has to reach the others: the next thing that is written there may give
 * such a format an effect, and who has deleted it alone shows another text for ever.
 */
export function leaveUntidied(transaction: Y.Transaction): void {
  transaction._needFormattingCleanup = false;
}

type Changed = Y.Transaction["changed"];
type ChangedType = Changed extends Map<infer Type, unknown> ? Type : never;

/** Whoever adds a name to it has said it in vain. */
class NoNames extends Set<string | null> {
  override add(): this {
    return this;
  }
}

/** Has a set for each type, in which nothing stays. */
class NoChanges extends Map<ChangedType, Set<string | null>> {
  static readonly #NAMES = new NoNames();

  override get(): NoNames {
    return NoChanges.#NAMES;
  }
}

const NO_CHANGES = new NoChanges();

function finishStored(transaction: Y.Transaction): void {
  leaveUntidied(transaction);
  trimValues(transaction);
  transaction.beforeState = transaction.afterState;
}

/**
 * Yjs reads the values of an attribute into an array that keeps room for 16 more. There is nearly
 * always one, for each node at least, and nothing is ever added: 130 bytes a node.
 */
function trimValues({ doc, beforeState, afterState }: Y.Transaction): void {
  for (const [client, end] of afterState) {
    const start = beforeState.get(client) ?? 0;
    const structs = doc.store.clients.get(client);
    if (structs === undefined || start === end) continue;
    for (let index = Y.findIndexSS(structs, start); index < structs.length; index++) {
      const struct = structs[index];
      if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) continue;
      struct.content.arr = [...struct.content.arr];
    }
  }
}
