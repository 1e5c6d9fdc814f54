import * as Y from "yjs";

/** In a shorter array a cut costs less than to look ahead. */
const LONG = 16_384;
/** Structs that are copied between two steps. */
const STEP = 16_384;

type Structs = (Y.Item | Y.GC)[];

/**
 * Cuts the structs of a document where updates will, before these are applied, in one pass over each
 * long array. Yields every millisecond or two; the document must not change meanwhile.
 *
 * Yjs (13.6) keeps what one client has written in one array. An update that puts something into a
 * struct, or deletes a part of it, cuts it, and each cut moves the rest of the array: an outline of
 * 100,000 nodes that one client has written, with 10,000 edits behind its snapshot, spends most of its
 * opening on that. The result is the same: it is Yjs that cuts, in an array of the one struct.
 *
 * @param longest array in which Yjs may cut alone
 */
export function* cutAhead(
  doc: Y.Doc,
  updates: Iterable<Uint8Array>,
  longest = LONG,
): Generator<void> {
  const long = new Map<number, number[]>();
  for (const [client, { length }] of doc.store.clients) if (length > longest) long.set(client, []);
  if (long.size === 0) return;
  for (const update of updates) {
    noteCuts(long, update);
    yield;
  }
  for (const [client, clocks] of long) if (clocks.length > 0) yield* cut(doc, client, clocks);
}

/** The clocks at which an update makes structs begin. */
function noteCuts(long: ReadonlyMap<number, number[]>, update: Uint8Array): void {
  const { structs, ds } = Y.decodeUpdate(update);
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue;
    const { origin, rightOrigin } = struct;
    if (origin !== null) long.get(origin.client)?.push(origin.clock + 1);
    if (rightOrigin !== null) long.get(rightOrigin.client)?.push(rightOrigin.clock);
  }
  for (const [client, ranges] of ds.clients) {
    const clocks = long.get(client);
    if (clocks !== undefined) for (const { clock, len } of ranges) clocks.push(clock, clock + len);
  }
}

function* cut({ store }: Y.Doc, client: number, clocks: number[]): Generator<void> {
  const structs = store.clients.get(client) ?? [];
  const sorted = Float64Array.from(clocks).sort();
  const result: Structs = [];
  // All that cutting asks of a transaction. Nothing is tried to be put together again.
  const transaction = { doc: { store }, _mergeStructs: [] } as unknown as Y.Transaction;
  const known = Y.getState(store, client);
  let copied = 0;
  for (let next = 0; (sorted[next] ?? known) < known;) {
    const index = Y.findIndexSS(structs, sorted[next] ?? known);
    const struct = structs[index];
    if (struct === undefined) break;
    const end = struct.id.clock + struct.length;
    yield* copy(structs, copied, index, result);
    copied = index + 1;
    const pieces: Structs = [struct];
    store.clients.set(client, pieces);
    for (; (sorted[next] ?? end) < end; next++) {
      Y.getItemCleanStart(transaction, Y.createID(client, sorted[next] ?? end));
    }
    store.clients.set(client, structs);
    yield* copy(pieces, 0, pieces.length, result);
  }
  yield* copy(structs, copied, structs.length, result);
  store.clients.set(client, result);
}

function* copy(from: Structs, start: number, end: number, to: Structs): Generator<void> {
  for (let at = start; at < end; at += STEP) {
    for (const struct of from.slice(at, Math.min(end, at + STEP))) to.push(struct);
    yield;
  }
}
