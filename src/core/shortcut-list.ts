import { countWhile } from "./count-while.ts";
import type * as Y from "yjs";
import { decodeTime, encodeTime } from "./hybrid-clock.ts";
import { isNodeKey, type NodeKey } from "./node-key.ts";
import type { OutlineFull } from "./room/outline-full.ts";
import { shortcutProblem } from "./reference.ts";
import { valueOf } from "./schema.ts";
import { cleanText } from "./text/clean-text.ts";
import { encodeTimed, parseTimed, timeAfter } from "./node/timed-value.ts";
import { itemsByKey, namesChanged } from "./yjs/inside.ts";

/**
 * Removed shortcuts that are remembered: one that somebody makes again without having seen the removal
 * of an older one comes back.
 */
const MAX_REMOVED = 100;
/** Shortcuts that an outline may have. */
export const MAX_SHORTCUTS = 1_000;

/** A name that a user gave to a node. */
export interface Shortcut {
  /** As the user wrote it. Two shortcuts never differ only in case. */
  readonly key: string;
  readonly node: NodeKey;
}

interface Entry extends Shortcut {
  readonly folded: string;
  readonly createdAt: number;
}

const KEY_LENGTH = 12;
const TIME_END = KEY_LENGTH + 7;
const REMOVED = "";

/**
 * The user's shortcuts, in a map from the folded shortcut to: the node's key, when the shortcut was
 * made (so that every replica lists them by age), how the user wrote it unless that is folded, and
 * the time of this write (timed-value.ts). A removed one holds that time alone.
 *
 * They are put in order once, when somebody asks for the first time; from then on the order follows
 * what is written, at the cost of what has changed.
 */
export class ShortcutList {
  readonly #entries: Y.Map<string>;
  readonly #byName = new Map<string, Entry>();
  /** By age; equally old ones by name. */
  readonly #sorted: Entry[] = [];
  #isSorted = false;

  constructor(entries: Y.Map<string>) {
    this.#entries = entries;
  }

  /** By age, the oldest first; equally old ones, made on two devices, by name. */
  all(): readonly Shortcut[] {
    return this.#inOrder();
  }

  /** How many there are, also those of nodes that nobody sees. */
  get size(): number {
    return this.#inOrder().length;
  }

  /**
   * Where there is no room for another: the oldest that is hidden, which may go for it, or else why
   * there is none.
   */
  inTheWay(isHidden: (key: string, node: NodeKey) => boolean): string | OutlineFull | undefined {
    const has = this.size;
    if (has < MAX_SHORTCUTS) return undefined;
    const hidden = this.all().find(({ key, node }) => isHidden(key, node));
    if (hidden !== undefined) return hidden.key;
    return { kind: "outline_full", quota: "shortcuts", has, adds: 1, limit: MAX_SHORTCUTS };
  }

  /** The node of a shortcut written in any case. */
  nodeOf(shortcut: string): NodeKey | undefined {
    return this.#read(fold(shortcut))?.node;
  }

  /**
   * Makes a shortcut, younger than all there are, or points the existing one anew: it keeps its age
   * unless it `isNew` all the same. Inside a transaction.
   */
  set(shortcut: string, node: NodeKey, nowMs: number, isNew: boolean): void {
    const folded = fold(shortcut);
    const written = shortcut.trim();
    const youngest = this.#inOrder().at(-1)?.createdAt ?? 0;
    const before = isNew ? undefined : this.#read(folded);
    const createdAt = before?.createdAt ?? Math.max(nowMs, youngest + 1);
    const value = node + encodeTime(createdAt) + (written === folded ? "" : written);
    this.write(folded, value, nowMs);
  }

  /** Inside a transaction. */
  delete(shortcut: string, nowMs: number): void {
    this.write(fold(shortcut), REMOVED, nowMs);
    this.#forgetRemoved();
  }

  /** What is stored of each shortcut and removed one, without its time, by the folded shortcut. */
  stored(): ReadonlyMap<string, string> {
    const stored = new Map<string, string>();
    for (const folded of itemsByKey(this.#entries).keys()) {
      const value = this.#stored(folded);
      if (value !== undefined && value !== REMOVED) stored.set(folded, value);
    }
    return stored;
  }

  /** Stores that again, as of now. Inside a transaction. */
  write(folded: string, value: string, nowMs: number): void {
    const { at } = parseTimed(stringIn(this.#entries, folded) ?? "");
    this.#entries.set(folded, encodeTimed({ value, at: timeAfter(at, nowMs) }));
    this.#refresh(folded);
  }

  /** To be called after every transaction. */
  update(transaction: Y.Transaction): void {
    for (const name of namesChanged(transaction, this.#entries)) {
      if (name !== null) this.#refresh(name);
    }
  }

  #inOrder(): readonly Entry[] {
    if (!this.#isSorted) {
      this.#isSorted = true;
      for (const folded of itemsByKey(this.#entries).keys()) {
        const entry = this.#read(folded);
        if (entry === undefined) continue;
        this.#byName.set(folded, entry);
        this.#sorted.push(entry);
      }
      this.#sorted.sort(compare);
    }
    return this.#sorted;
  }

  #refresh(folded: string): void {
    if (!this.#isSorted) return;
    const [before, now] = [this.#byName.get(folded), this.#read(folded)];
    if (before !== undefined) this.#sorted.splice(this.#rankOf(before), 1);
    if (now === undefined) {
      this.#byName.delete(folded);
      return;
    }
    this.#byName.set(folded, now);
    this.#sorted.splice(this.#rankOf(now), 0, now);
  }

  /** How many come before an entry. */
  #rankOf(entry: Entry): number {
    return countWhile(this.#sorted.length, (index) => {
      const other = this.#sorted[index];
      return other !== undefined && compare(other, entry) < 0;
    });
  }

  #stored(folded: string): string | undefined {
    const text = stringIn(this.#entries, folded);
    return text === undefined ? undefined : parseTimed(text).value;
  }

  /** Takes the oldest of too many removed shortcuts out of the document. */
  #forgetRemoved(): void {
    const removed: { readonly folded: string; readonly at: number }[] = [];
    for (const folded of itemsByKey(this.#entries).keys()) {
      const { value, at } = parseTimed(stringIn(this.#entries, folded) ?? "x");
      if (value === REMOVED) removed.push({ folded, at });
    }
    if (removed.length <= MAX_REMOVED) return;
    removed.sort((one, other) => one.at - other.at);
    for (const { folded } of removed.slice(0, -MAX_REMOVED)) this.#entries.delete(folded);
  }

  #read(folded: string): Entry | undefined {
    const value = this.#stored(folded);
    if (value === undefined || !isShortcutName(folded)) return undefined;
    const node = value.slice(0, KEY_LENGTH);
    if (!isNodeKey(node)) return undefined;
    const written = value.slice(TIME_END);
    return {
      folded,
      key: fold(written) === folded && cleanText(written) === written ? written : folded,
      node,
      createdAt: decodeTime(value.slice(KEY_LENGTH, TIME_END)) ?? 0,
    };
  }
}

function stringIn(entries: Y.Map<string>, folded: string): string | undefined {
  const value = valueOf(entries, folded);
  return typeof value === "string" ? value : undefined;
}

function compare(a: Entry, b: Entry): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  if (a.folded === b.folded) return 0;
  return a.folded < b.folded ? -1 : 1;
}

/**
 * Whether an entry's name can be a shortcut. Other programs may write what can't: a name that nobody
 * could look up, or one that means something else, such as a system target or a date.
 */
function isShortcutName(folded: string): boolean {
  return (
    cleanText(folded) === folded && fold(folded) === folded && shortcutProblem(folded) === undefined
  );
}

function fold(shortcut: string): string {
  return shortcut.trim().toLowerCase();
}
