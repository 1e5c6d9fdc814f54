import * as Y from "yjs";

/*
 * `Doc.store` of Yjs 13.6: what each client has written, in one array by clock, without gaps. Read here
 * alone (P121).
 */

/** What a client has written in one go, or what is left of that. */
export type Struct = Y.Item | Y.GC;

/** Who has written, in no particular order. */
export function clientsOf({ store }: Y.Doc): MapIterator<number> {
  return store.clients.keys();
}

/** Whether nobody has written. */
export function isEmpty({ store }: Y.Doc): boolean {
  return store.clients.size === 0;
}

/** For each client the clock behind its last struct. */
export function clocksOf(doc: Y.Doc): Map<number, number> {
  return new Map([...clientsOf(doc)].map((client) => [client, clockOf(doc, client)]));
}

/** The clock behind the last struct of a client; 0 when it has written nothing. */
export function clockOf({ store }: Y.Doc, client: number): number {
  return Y.getState(store, client);
}

/** What a client has written, by clock. Of use until the next transaction. */
export function structsOf({ store }: Y.Doc, client: number): readonly Struct[] {
  return store.clients.get(client) ?? NONE;
}

/** Where the struct that holds a clock is among those of its client, which go beyond it. */
export function indexOf(structs: readonly Struct[], clock: number): number {
  return Y.findIndexSS(structs as Struct[], clock);
}

/** The struct that holds a clock; undefined when nothing has been written there. */
export function structAt(doc: Y.Doc, client: number, clock: number): Struct | undefined {
  if (clock >= clockOf(doc, client)) return undefined;
  const structs = structsOf(doc, client);
  return structs[indexOf(structs, clock)];
}

/** The structs of a client that hold any of the clocks `[from, end)`, as far as they are there. */
export function* structsBetween(
  doc: Y.Doc,
  client: number,
  from: number,
  end: number,
): Generator<Struct> {
  const structs = structsOf(doc, client);
  if (from >= Math.min(end, clockOf(doc, client))) return;
  for (let index = indexOf(structs, from); index < structs.length; index++) {
    const struct = structs[index];
    if (struct === undefined || struct.id.clock >= end) return;
    yield struct;
  }
}

/** The items among them. */
export function* itemsBetween(
  doc: Y.Doc,
  client: number,
  from: number,
  end: number,
): Generator<Y.Item> {
  for (const struct of structsBetween(doc, client, from, end)) {
    if (struct instanceof Y.Item) yield struct;
  }
}

/** Goes through what a transaction has added, each client's by clock. To be called when it ends. */
export function forEachAdded(
  { doc, beforeState, afterState }: Y.Transaction,
  look: (struct: Struct) => void,
): void {
  for (const [client, end] of afterState) {
    const start = beforeState.get(client) ?? 0;
    if (start === end) continue;
    const structs = structsOf(doc, client);
    for (let index = indexOf(structs, start); index < structs.length; index++) {
      const struct = structs[index];
      if (struct !== undefined) look(struct);
    }
  }
}

/** Whether something waits for what it builds on. */
export function isPending({ store }: Y.Doc): boolean {
  return store.pendingStructs !== null || store.pendingDs !== null;
}

/** Whether structs of a client are there, but not what comes before them. */
export function isWaitedFor({ store: { pendingStructs } }: Y.Doc, client: number): boolean {
  if (pendingStructs === null) return false;
  const { structs } = Y.decodeUpdateV2(pendingStructs.update);
  return structs.some(({ id }) => id.client === client);
}

/** The clients of which something is missing that other structs wait for. */
export function missingClients({ store }: Y.Doc): readonly number[] {
  return [...(store.pendingStructs?.missing.keys() ?? [])];
}

/** What Yjs has read and not applied, because it builds on what is not there. */
export function pendingUpdates({ store }: Y.Doc): readonly Uint8Array[] {
  const waiting = [store.pendingStructs?.update, store.pendingDs];
  return waiting.flatMap((update) => (update ? [Y.convertUpdateFormatV2ToV1(update)] : []));
}

/** Lets go of it. */
export function forgetPending({ store }: Y.Doc): void {
  store.pendingStructs = null;
  store.pendingDs = null;
}

/** Does `work` while Yjs knows of no structs that wait: with each update it tries them again. */
export function withoutPending({ store }: Y.Doc, work: () => void): void {
  const pending = store.pendingStructs;
  store.pendingStructs = null;
  work();
  store.pendingStructs = pending;
}

/** Stays empty [Q58]. */
const NONE: readonly Struct[] = [];
