/** A client id that a store has from now on, or no longer. */
export interface ClientChange {
  readonly client: number;
  readonly isKept: boolean;
}

/** More tabs than write at one time. Each is looked at with each message of the server. */
const MAX_CLIENTS = 16;

/** The ids of a store after a change, oldest first. */
export function changedClients(
  clients: readonly number[],
  changes: readonly ClientChange[],
): readonly number[] {
  const changed = new Set(clients);
  for (const { client, isKept } of changes) {
    if (isKept) changed.add(client);
    else changed.delete(client);
  }
  return [...changed].slice(-MAX_CLIENTS);
}
