import type * as Y from "yjs";
import { decodeTime, encodeTime } from "./hybrid-clock.ts";
import { isNodeKey, type NodeKey } from "./node-key.ts";

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

/**
 * The user's shortcuts, in a map from the folded shortcut to: the node's key, when the shortcut was
 * made (so that every replica lists them by age), and how the user wrote it unless that is folded.
 */
export class ShortcutList {
  readonly #entries: Y.Map<string>;

  constructor(entries: Y.Map<string>) {
    this.#entries = entries;
  }

  /** By age, the oldest first; equally old ones, made on two devices, by name. */
  all(): readonly Shortcut[] {
    return this.#sorted().map(({ key, node }) => ({ key, node }));
  }

  /** The node of a shortcut written in any case. */
  nodeOf(shortcut: string): NodeKey | undefined {
    return this.#entry(fold(shortcut))?.node;
  }

  /**
   * Makes a shortcut, younger than all there are, or points the existing one anew: it keeps its age.
   * Inside a transaction.
   */
  set(shortcut: string, node: NodeKey, nowMs: number): void {
    const folded = fold(shortcut);
    const written = shortcut.trim();
    const youngest = this.#sorted().at(-1)?.createdAt ?? 0;
    const createdAt = this.#entry(folded)?.createdAt ?? Math.max(nowMs, youngest + 1);
    const value = node + encodeTime(createdAt) + (written === folded ? "" : written);
    this.#entries.set(folded, value);
  }

  /** Inside a transaction. */
  delete(shortcut: string): void {
    this.#entries.delete(fold(shortcut));
  }

  #sorted(): readonly Entry[] {
    const entries: Entry[] = [];
    for (const folded of this.#entries.keys()) {
      const entry = this.#entry(folded);
      if (entry !== undefined) entries.push(entry);
    }
    return entries.sort((a, b) => a.createdAt - b.createdAt || (a.folded < b.folded ? -1 : 1));
  }

  #entry(folded: string): Entry | undefined {
    const value: unknown = this.#entries.get(folded);
    if (typeof value !== "string") return undefined;
    const node = value.slice(0, KEY_LENGTH);
    if (!isNodeKey(node)) return undefined;
    const written = value.slice(TIME_END);
    return {
      folded,
      key: fold(written) === folded ? written : folded,
      node,
      createdAt: decodeTime(value.slice(KEY_LENGTH, TIME_END)) ?? 0,
    };
  }
}

function fold(shortcut: string): string {
  return shortcut.trim().toLowerCase();
}
