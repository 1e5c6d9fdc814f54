import * as Y from "yjs";
import { encodeClocks, endsOf } from "./stored-update.ts";

/** For each client id the clock below which something is there. */
export type Clocks = ReadonlyMap<number, number>;

/** What is missing: characters and values, and the client ids under which they were written. */
export interface Missing {
  readonly clocks: number;
  readonly clients: number;
}

/** Goes through what is stored of a document for the clocks that it has, without making the document. */
export class StoredClocks {
  readonly #ends = new Map<number, number>();

  get ends(): Clocks {
    return this.#ends;
  }

  get stateVector(): Uint8Array {
    return encodeClocks(this.#ends);
  }

  /** Whether all of this is among them. */
  cover(ends: Clocks): boolean {
    return [...ends].every(([client, end]) => end <= (this.#ends.get(client) ?? 0));
  }

  /** @throws when the bytes are no state vector */
  addStateVector(stateVector: Uint8Array): void {
    this.addEnds(Y.decodeStateVector(stateVector));
  }

  /** @throws when the bytes are no update */
  addUpdate(update: Uint8Array): void {
    this.addEnds(endsOf(update));
  }

  addEnds(ends: Clocks): void {
    for (const [client, end] of ends) {
      if (end > (this.#ends.get(client) ?? 0)) this.#ends.set(client, end);
    }
  }
}

/** What a document does not have of what there was. Deletions have no clocks, and are not counted. */
export function missingOf(lost: Clocks, has: (client: number) => number): Missing {
  let clocks = 0;
  let clients = 0;
  for (const [client, end] of lost) {
    const missing = end - has(client);
    if (missing <= 0) continue;
    clocks += missing;
    clients += 1;
  }
  return { clocks, clients };
}
