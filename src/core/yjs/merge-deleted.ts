import * as Y from "yjs";

/** So many places are looked at by Yjs itself: each may move the rest of the client's structs. */
const FEW = 32;
/** With more than one in so many structs of a client, all of them are looked at in one pass. */
const SPARSE = 16;

/**
 * Has a document merge deleted structs in one pass over its arrays. To be called before anything else
 * follows the document.
 *
 * At the end of each transaction Yjs (13.6) merges what was deleted with its neighbours, one place
 * after the other, and for each moves all that follows in the client's array: a text of 100,000
 * letters, which were deleted one by one, takes 29 s to be removed. Here a transaction with many such
 * places is handed to Yjs without them: its deletions are collected and merged just before Yjs would,
 * and they are put back before the transaction's update is written.
 */
export function mergeDeletedInOnePass(doc: Y.Doc): void {
  const taken = new WeakMap<Y.Transaction, Ranges>();
  const takeOver = (transaction: Y.Transaction): void => {
    const { deleteSet } = transaction;
    if (!isMuch(doc, transaction)) return;
    taken.set(transaction, deleteSet.clients);
    collect(doc, transaction);
    merge(doc, transaction);
    deleteSet.clients = new Map();
  };
  doc.on("beforeObserverCalls", () => {
    // The last to be told: whoever follows the document sees the deletions, and what was deleted.
    doc.off("afterTransaction", takeOver);
    doc.on("afterTransaction", takeOver);
  });
  doc.on("afterTransactionCleanup", (transaction: Y.Transaction) => {
    const clients = taken.get(transaction);
    if (clients !== undefined) transaction.deleteSet.clients = clients;
  });
}

type Ranges = Y.Transaction["deleteSet"]["clients"];
type Structs = (Y.Item | Y.GC)[];

function isMuch({ store }: Y.Doc, { deleteSet, _mergeStructs }: Y.Transaction): boolean {
  let places = _mergeStructs.length;
  for (const [client, ranges] of deleteSet.clients) {
    const structs = store.clients.get(client) ?? [];
    for (const { clock, len } of ranges) {
      if (places > FEW) return true;
      const first = Y.findIndexSS(structs, clock);
      places += Y.findIndexSS(structs, clock + len - 1) - first + 1;
    }
  }
  return places > FEW;
}

/** Lets go of the content of what was deleted, as Yjs does. */
function collect({ store, gc, gcFilter }: Y.Doc, { deleteSet }: Y.Transaction): void {
  if (!gc) return;
  for (const [client, ranges] of deleteSet.clients) {
    const structs = store.clients.get(client) ?? [];
    for (const { clock, len } of ranges.toReversed()) {
      for (let index = Y.findIndexSS(structs, clock); index < structs.length; index++) {
        const struct = structs[index];
        if (struct === undefined || struct.id.clock >= clock + len) break;
        if (!(struct instanceof Y.Item) || !struct.deleted || struct.keep) continue;
        if (gcFilter(struct)) struct.gc(store, false);
      }
    }
  }
}

/** Merges what was deleted, now or before. Left for Yjs is what was cut, and one place of each client. */
function merge(doc: Y.Doc, transaction: Y.Transaction): void {
  const { deleteSet, _mergeStructs: others } = transaction;
  const deletedBefore = new Map<number, number[]>();
  const left: typeof others = [];
  for (const struct of others) {
    const { client, clock } = struct.id;
    const clocks = deletedBefore.get(client);
    if (!struct.deleted || clocks === undefined) left.push(struct);
    if (!struct.deleted) continue;
    if (clocks === undefined) deletedBefore.set(client, [clock]);
    else clocks.push(clock);
  }
  others.length = 0;
  for (const struct of left) others.push(struct);
  for (const client of new Set([...deleteSet.clients.keys(), ...deletedBefore.keys()])) {
    const structs = doc.store.clients.get(client) ?? [];
    const ranges = deleteSet.clients.get(client) ?? [];
    mergeIn(structs, spansOf(structs, ranges, deletedBefore.get(client) ?? []));
  }
}

/** Indexes `[from, to]` of structs that may belong to those before them. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function spansOf(
  structs: Structs,
  ranges: readonly { readonly clock: number; readonly len: number }[],
  clocks: readonly number[],
): readonly Span[] {
  const last = structs.length - 1;
  if ((ranges.length + clocks.length) * SPARSE > last) return [{ from: 1, to: last }];
  const spans: Span[] = [];
  const add = (clock: number, end: number): void => {
    const from = Math.max(1, Y.findIndexSS(structs, clock));
    spans.push({ from, to: Math.min(last, Y.findIndexSS(structs, end - 1) + 1) });
  };
  for (const { clock, len } of ranges) add(clock, clock + len);
  for (const clock of clocks) add(clock, clock + 1);
  return spans.sort((a, b) => a.from - b.from);
}

/** Each struct is moved once, however much is merged. */
function mergeIn(structs: Structs, spans: readonly Span[]): void {
  let at = spans[0]?.from ?? structs.length;
  let end = at;
  for (const [index, { from, to }] of spans.entries()) {
    for (at = Math.max(at, from); at <= to; at++) {
      const struct = structs[at];
      if (struct !== undefined && !isMerged(structs[end - 1], struct)) structs[end++] = struct;
    }
    const next = Math.max(at, spans[index + 1]?.from ?? structs.length);
    if (end === at) end = next;
    else for (const struct of structs.slice(at, next)) structs[end++] = struct;
    at = next;
  }
  structs.length = end;
}

/** Makes two deleted structs one where they may be. */
function isMerged(left: Y.Item | Y.GC | undefined, right: Y.Item | Y.GC | undefined): boolean {
  if (left === undefined || right === undefined || !left.deleted || !right.deleted) return false;
  if (right instanceof Y.GC) return left instanceof Y.GC && left.mergeWith(right);
  if (!(left instanceof Y.Item) || !left.mergeWith(right)) return false;
  const { parent, parentSub } = right;
  if (
    parentSub !== null &&
    parent instanceof Y.AbstractType &&
    parent._map.get(parentSub) === right
  ) {
    parent._map.set(parentSub, left);
  }
  return true;
}
