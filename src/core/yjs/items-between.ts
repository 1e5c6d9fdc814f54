import * as Y from "yjs";

/** The items of a client that hold any of the clocks `[from, end)`, as far as they are there. */
export function* itemsBetween(
  { store }: Y.Doc,
  client: number,
  from: number,
  end: number,
): Generator<Y.Item> {
  const structs = store.clients.get(client) ?? [];
  if (from >= Math.min(end, Y.getState(store, client))) return;
  for (let index = Y.findIndexSS(structs, from); index < structs.length; index++) {
    const struct = structs[index];
    if (struct === undefined || struct.id.clock >= end) return;
    if (struct instanceof Y.Item) yield struct;
  }
}
