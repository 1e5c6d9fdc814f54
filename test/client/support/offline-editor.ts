import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { Replica } from "../../../client/lib/replica.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

/**
 * Edits a replica like somebody who writes a lot: new lines, typing, moves, completions, and lines of
 * their own that they throw away again. Every text it writes is unique and recognisable.
 */
export class OfflineEditor {
  readonly #replica: Replica;
  readonly #random: () => number;
  readonly #seed: number;
  readonly #keys: NodeKey[];
  #words = 0;

  constructor(replica: Replica, seed: number) {
    this.#replica = replica;
    this.#random = seededRandom(seed);
    this.#seed = seed;
    this.#keys = [];
  }

  /** Makes so many edits. Answers every text that must be there in the end, exactly once. */
  edit(count: number): readonly string[] {
    const { edits, outline } = this.#replica;
    this.#keys.splice(0, this.#keys.length, ...outline.keysInOrder());
    const kept: string[] = [];
    for (let done = 0; done < count; done++) {
      const key = oneOf(this.#random, this.#keys);
      const kind = integerBelow(this.#random, 100);
      if (kind < 35) kept.push(this.#create(key));
      else if (kind < 70) kept.push(this.#type(key));
      else if (kind < 90) this.#move(key);
      else if (kind < 96) edits.complete([key], this.#random() < 0.5);
      else this.#throwAway(key);
    }
    return kept;
  }

  /** Ends with a letter that is no digit, so that no word is the start of another. */
  #word(): string {
    return `d${this.#seed}w${this.#words++}.`;
  }

  #create(near: NodeKey): string {
    const { word, key } = this.#add(near);
    this.#keys.push(key);
    return word;
  }

  #add(near: NodeKey): { readonly word: string; readonly key: NodeKey } {
    const word = this.#word();
    const parent = this.#random() < 0.2 ? ROOT : near;
    const position = this.#random() < 0.5 ? "top" : "bottom";
    const made = this.#replica.edits.create({ parent, position, name: word });
    if (made.kind !== "created") throw new Error(`no node was created: ${made.kind}`);
    return { word, key: made.key };
  }

  #type(key: NodeKey): string {
    const word = this.#word();
    const text = this.#replica.edits.text(key, "name");
    if (text === undefined) throw new Error("a node has a name");
    const at = this.#random() < 0.5 ? 0 : text.length;
    this.#replica.edits.type(key, "name", { at, remove: 0, insert: word });
    return word;
  }

  /** Below itself is refused, which changes nothing. */
  #move(key: NodeKey): void {
    const parent = this.#random() < 0.3 ? ROOT : oneOf(this.#random, this.#keys);
    this.#replica.edits.move([key], { parent, position: "bottom" });
  }

  #throwAway(near: NodeKey): void {
    this.#replica.edits.trash([this.#add(near).key]);
  }
}
