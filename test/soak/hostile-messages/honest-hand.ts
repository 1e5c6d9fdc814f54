import type * as Y from "yjs";
import type { Random } from "../../../src/core/node-key.ts";
import { editAtRandom, outlineDoc } from "../../documents/support/random-edits.ts";

/** Somebody who makes right updates, and keeps them until they are acknowledged. */
export class HonestHand {
  readonly #doc: Y.Doc;
  readonly #random: Random;
  #unsaved: Uint8Array[] = [];

  constructor(client: number, random: Random) {
    this.#doc = outlineDoc(client);
    this.#random = random;
    this.#doc.on("update", (update: Uint8Array) => this.#unsaved.push(update));
  }

  /** Oldest first. */
  get unsaved(): readonly Uint8Array[] {
    return this.#unsaved;
  }

  next(): Uint8Array {
    const count = this.#unsaved.length;
    // Some edits turn out to change nothing.
    while (this.#unsaved.length === count) editAtRandom(this.#doc, this.#random);
    const update = this.#unsaved.at(-1);
    if (update === undefined) throw new Error("no update");
    return update;
  }

  saved(update: Uint8Array): void {
    this.#unsaved = this.#unsaved.filter((each) => each !== update);
  }
}
