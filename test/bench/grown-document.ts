import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { integerBelow, oneOf } from "../support/seeded-random.ts";

const WORDS = "the of and to in is you that it he was for on are as with his they at be".split(" ");
/** As the server does: what one client id writes is one array, and a cut moves the rest of it. */
const STRUCTS_PER_CLIENT = 64_000;
const BATCH = 1_000;
/** What happens to a node of an outline that has been worked on. */
const EDITS = 3;
const MOVES = 0.3;

/** A name of 30 to 60 characters. */
export function nameOf(random: Random): string {
  const length = 30 + integerBelow(random, 31);
  let name = oneOf(random, WORDS);
  while (name.length < length) name += ` ${oneOf(random, WORDS)}`;
  return name.slice(0, length).trim();
}

/**
 * The state of a document with `count` nodes, ten children a node or random parents, as imports
 * make it: every tenth has a note, every tenth a bold word, every twentieth is completed.
 */
export function grownDocument(count: number, random: Random): Uint8Array {
  const growing = new GrowingDocument(random);
  growing.grow(count);
  return growing.encode();
}

/**
 * The same after three edits of each name, at random places, and a move of every third node. Of the
 * edits one in three replaces a word, one inserts one, one appends one.
 */
export function agedDocument(count: number, random: Random): Uint8Array {
  const growing = new GrowingDocument(random);
  growing.grow(count);
  growing.age();
  return growing.encode();
}

class GrowingDocument {
  readonly #random: Random;
  readonly #doc = new Y.Doc();
  readonly #outline: Outline;
  readonly #keys: NodeKey[] = [];
  #now = Date.UTC(2026, 0, 1);

  constructor(random: Random) {
    this.#random = random;
    this.#doc.clientID = 1;
    const ports = { id: newOutlineId(random), now: () => this.#now, random };
    this.#outline = Outline.attach(this.#doc, ports);
  }

  encode(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc);
  }

  grow(count: number): void {
    const random = this.#random;
    this.#inBatches(count, (index) => {
      this.#now += 37;
      const at = random() < 0.3 ? integerBelow(random, index) : Math.floor(index / 10) - 1;
      const name = nameOf(random);
      const isBold = random() < 0.1;
      const key = this.#outline.createPlain({
        parent: this.#keys[at] ?? ROOT,
        position: "bottom",
        name: isBold
          ? [{ insert: name.slice(0, 8), attributes: { b: true } }, { insert: name.slice(8) }]
          : [{ insert: name }],
        note: random() < 0.1 ? [{ insert: nameOf(random) }] : [],
        completedAt: random() < 0.05 ? Math.floor(this.#now / 1000) : null,
      });
      this.#keys.push(key);
    });
  }

  age(): void {
    const random = this.#random;
    const count = this.#keys.length;
    this.#inBatches(count * EDITS, (index) => {
      this.#now += 37;
      this.#outline.editText(oneOf(random, this.#keys), "name", (text) => {
        const at = index % 3 === 2 ? text.length : integerBelow(random, text.length - 8);
        if (index % 3 === 0) text.delete(at, 5);
        text.insert(at, oneOf(random, WORDS));
      });
    });
    this.#inBatches(count * MOVES, () => {
      this.#now += 37;
      this.#outline.move(oneOf(random, this.#keys), { parent: oneOf(random, this.#keys) });
    });
  }

  #inBatches(count: number, work: (index: number) => void): void {
    for (let start = 0; start < count; start += BATCH) {
      if (Y.getState(this.#doc.store, this.#doc.clientID) > STRUCTS_PER_CLIENT) {
        this.#doc.clientID++;
      }
      this.#doc.transact(() => {
        for (let index = start; index < Math.min(count, start + BATCH); index++) work(index);
      });
    }
  }
}
