import type { NodeKey } from "../core/node-key.ts";

/** As many names as a key can be sure to have in mind at a time. */
export const MAX_SERVED_NAMES = 4096;
const MAX_CHARACTERS = 256 * 1024;
/** So that no user's keys push out what others' know. */
const MAX_USER_CHARACTERS = 8 * 1024 * 1024;
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024;
/** Longer names are not kept: a few of them would push out all others. */
const MAX_NAME_LENGTH = 64 * 1024;
/** What an entry costs besides its characters, in characters. */
const ENTRY_OVERHEAD = 64;
/** A program that has thought about a name for longer knows nothing of how it is now. */
const KNOWN_FOR_MS = 10 * 60_000;

/** A name as a key knows it. */
export interface KnownName {
  readonly name: string;
  /** Whether it was served, and not only written: then sending it again says nothing new. */
  readonly isServed: boolean;
}

/** And when it was served or written. */
interface ServedName extends KnownName {
  servedAt: number;
}

/** Of a principal, what says whose the names are. */
export interface KeyOfUser {
  readonly user: string;
  readonly keyId: string;
}

/** What is remembered for the keys of one user. */
interface NamesOfUser {
  /** The one that was placed longest ago first. [Q16] */
  readonly keys: Set<string>;
  characters: number;
}

/**
 * The names as each API key knows them: what it was last served or has last written. They are the
 * base of three-way updates, so that typing which raced with a program's read-then-write survives.
 * A cache, bounded for each key, each user, in all and in time: without a base an update compares with
 * the name as it is.
 */
export class ServedNames {
  /** [Q16] */
  readonly #byKey = new Map<string, NamesOfKey>();
  /** [Q16] */
  readonly #byUser = new Map<string, NamesOfUser>();
  readonly #now: () => number;
  #characters = 0;

  /** @param now milliseconds, of any beginning */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keys of which something is remembered. */
  get size(): number {
    return this.#byKey.size;
  }

  get({ keyId }: KeyOfUser, node: NodeKey): KnownName | undefined {
    const served = this.#byKey.get(keyId)?.get(node);
    if (served === undefined || this.#now() - served.servedAt > KNOWN_FOR_MS) return undefined;
    return served;
  }

  /** What the key knows from now on: a name that it was served or, with `isServed` false, has written. */
  remember({ user, keyId }: KeyOfUser, node: NodeKey, name: string, isServed = true): void {
    const now = this.#now();
    // Mostly it knows already.
    if (this.#byKey.get(keyId)?.serveAgain(node, { name, isServed }, now) === true) return;
    this.#forgetOneOld(now);
    const names = this.#byKey.get(keyId) ?? new NamesOfKey(user);
    this.#place(keyId, names);
    const before = names.characters;
    names.set(node, { name, isServed, servedAt: now });
    const ofUser = this.#count(user, names.characters - before);
    if (ofUser.characters > MAX_USER_CHARACTERS) this.#evictOf(ofUser);
    if (this.#characters > MAX_TOTAL_CHARACTERS) this.#evict();
  }

  /** Forgets all that the key knows: it is served more than could be kept. */
  forget({ keyId }: Pick<KeyOfUser, "keyId">): void {
    const names = this.#byKey.get(keyId);
    if (names === undefined) return;
    this.#byKey.delete(keyId);
    const ofUser = this.#count(names.user, -names.characters);
    ofUser.keys.delete(keyId);
    if (ofUser.keys.size === 0) this.#byUser.delete(names.user);
  }

  /** Of keys that are not used any more nothing stays: one is looked at with each name that is new. */
  #forgetOneOld(now: number): void {
    const [first] = this.#byKey;
    if (first === undefined) return;
    const [keyId, names] = first;
    if (now - names.servedAt > KNOWN_FOR_MS) return this.forget({ keyId });
    if (names.servedAt > names.placedAt) this.#place(keyId, names);
  }

  /** Behind all others. */
  #place(keyId: string, names: NamesOfKey): void {
    names.placedAt = this.#now();
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, names);
    const { keys } = this.#count(names.user, 0);
    keys.delete(keyId);
    keys.add(keyId);
  }

  #count(user: string, characters: number): NamesOfUser {
    const known = this.#byUser.get(user);
    const ofUser = known ?? { keys: new Set(), characters: 0 };
    if (known === undefined) this.#byUser.set(user, ofUser);
    ofUser.characters += characters;
    this.#characters += characters;
    return ofUser;
  }

  #evictOf(ofUser: NamesOfUser): void {
    for (const keyId of ofUser.keys) {
      if (ofUser.characters <= MAX_USER_CHARACTERS) return;
      this.forget({ keyId });
    }
  }

  #evict(): void {
    for (const keyId of this.#byKey.keys()) {
      if (this.#characters <= MAX_TOTAL_CHARACTERS) return;
      this.forget({ keyId });
    }
  }
}

/**
 * Names in two generations: when the young one is full it becomes the old one, and what the old one
 * held is forgotten. So the names used last are kept, at the price of one map entry for each.
 */
class NamesOfKey {
  readonly user: string;
  /** [Q16] */
  #young = new Map<NodeKey, ServedName>();
  /** [Q16] */
  #old = new Map<NodeKey, ServedName>();
  /** When the last of them was served. */
  servedAt = 0;
  /** When it was put behind all others. */
  placedAt = 0;
  #youngCharacters = 0;
  #oldCharacters = 0;

  constructor(user: string) {
    this.user = user;
  }

  get characters(): number {
    return this.#youngCharacters + this.#oldCharacters;
  }

  get(node: NodeKey): ServedName | undefined {
    return this.#young.get(node) ?? this.#old.get(node);
  }

  /** True when this is the name of the node, and will be for a good while. */
  serveAgain(node: NodeKey, { name, isServed }: KnownName, now: number): boolean {
    const served = this.#young.get(node);
    if (served?.name !== name || served.isServed !== isServed) return false;
    served.servedAt = now;
    this.servedAt = now;
    return true;
  }

  set(node: NodeKey, served: ServedName): void {
    const { name, servedAt } = served;
    this.servedAt = servedAt;
    const earlier = this.#young.get(node);
    if (earlier !== undefined) this.#youngCharacters -= earlier.name.length + ENTRY_OVERHEAD;
    if (name.length > MAX_NAME_LENGTH) {
      this.#young.delete(node);
      this.#old.delete(node);
      return;
    }
    this.#young.set(node, served);
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
