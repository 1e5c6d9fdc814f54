import * as Y from "yjs";
import { isSeedClient } from "../../../src/core/calendar/month-seed.ts";

/** Ids of the server. */
const SERVERS_BELOW = 2 ** 16;

/** What was sent and may have been taken: whatever else is in a document was never let in. */
export class WrittenClocks {
  readonly #ends = new Map<number, number>();
  /** Of those who write beside: what was sent that deletes something of theirs. */
  readonly #deletes = new Map<number, { readonly clock: number; readonly len: number }[]>();

  /** @param clients of those who write beside, whose structs are none of an attack */
  constructor(clients: readonly number[]) {
    for (const client of clients) this.#deletes.set(client, []);
  }

  add(update: Uint8Array): void {
    try {
      const { structs, ds } = Y.decodeUpdate(update);
      for (const { id, length } of structs) {
        this.#ends.set(id.client, Math.max(this.#ends.get(id.client) ?? 0, id.clock + length));
      }
      for (const [client, ranges] of ds.clients) {
        this.#deletes.get(client)?.push(...ranges);
      }
    } catch {
      // It can't have been taken.
    }
  }

  /** Whether somebody asked to delete it: who has a key may delete what others wrote. */
  isDeletion(client: number, at: number): boolean {
    const ranges = this.#deletes.get(client) ?? [];
    return ranges.some(({ clock, len }) => clock <= at && at < clock + len);
  }

  /** Structs of a document that nobody is known to have sent with success. */
  strangersIn(doc: Y.Doc): readonly string[] {
    const failures: string[] = [];
    for (const client of doc.store.clients.keys()) {
      const isOwn = client < SERVERS_BELOW || this.#deletes.has(client);
      if (isOwn || isSeedClient(client)) continue;
      const end = Y.getState(doc.store, client);
      const written = this.#ends.get(client) ?? 0;
      if (end > written) failures.push(`${client} is at ${end}, and was sent up to ${written}`);
    }
    return failures;
  }
}
