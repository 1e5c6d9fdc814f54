import type { NodeKey } from "../core/node-key.ts";

/** As many names as a key can be sure to have in mind at a time. */
export const MAX_SERVED_NAMES = 4096;
const MAX_CHARACTERS = 256 * 1024;
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024;
/** Longer names are not kept: a few of them would push out all others. */
const MAX_NAME_LENGTH = 64 * 1024;
/** What an entry costs besides its characters, in characters. */
const ENTRY_OVERHEAD = 32;

/**
 * The names as each API key knows them: what it was last served or has last written. They are the
 * base of three-way updates, so that typing which raced with a program's read-then-write survives.
 * A cache, bounded for each key and in all: without a base an update compares with the name as it is.
 */
export class ServedNames {
  readonly #byKey = new Map<string, NamesOfKey>();
  #characters = 0;

  get(keyId: string, node: NodeKey): string | undefined {
    return this.#byKey.get(keyId)?.get(node);
  }

  /** What the key knows from now on. */
  remember(keyId: string, node: NodeKey, name: string): void {
    const known = this.#byKey.get(keyId);
    // Mostly it knows already.
    if (known?.has(node, name) === true) return;
    const names = known ?? new NamesOfKey();
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, names);
    this.#characters -= names.characters;
    names.set(node, name);
    this.#characters += names.characters;
    if (this.#characters > MAX_TOTAL_CHARACTERS) this.#evict();
  }

  /** Forgets all that the key knows: it is served more than could be kept. */
  forget(keyId: string): void {
    this.#characters -= this.#byKey.get(keyId)?.characters ?? 0;
    this.#byKey.delete(keyId);
  }

  #evict(): void {
    for (const [keyId, names] of this.#byKey) {
      if (this.#characters <= MAX_TOTAL_CHARACTERS) return;
      this.#byKey.delete(keyId);
      this.#characters -= names.characters;
    }
  }
}

/**
 * Names in two generations: when the young one is full it becomes the old one, and what the old one
 * held is forgotten. So the names used last are kept, at the price of one map entry for each.
 */
class NamesOfKey {
  #young = new Map<NodeKey, string>();
  #old = new Map<NodeKey, string>();
  #youngCharacters = 0;
  #oldCharacters = 0;

  get characters(): number {
    return this.#youngCharacters + this.#oldCharacters;
  }

  get(node: NodeKey): string | undefined {
    return this.#young.get(node) ?? this.#old.get(node);
  }

  /** Whether this is the name of the node, and will be for a good while. */
  has(node: NodeKey, name: string): boolean {
    return this.#young.get(node) === name;
  }

  set(node: NodeKey, name: string): void {
    const earlier = this.#young.get(node);
    if (earlier !== undefined) this.#youngCharacters -= earlier.length + ENTRY_OVERHEAD;
    if (name.length > MAX_NAME_LENGTH) {
      this.#young.delete(node);
      this.#old.delete(node);
      return;
    }
    this.#young.set(node, name);
    this.#youngCharacters += name.length + ENTRY_OVERHEAD;
    if (this.#young.size >= MAX_SERVED_NAMES || this.#youngCharacters >= MAX_CHARACTERS)
      this.#age();
  }

  #age(): void {
    this.#old = this.#young;
    this.#oldCharacters = this.#youngCharacters;
    this.#young = new Map();
    this.#youngCharacters = 0;
  }
}
