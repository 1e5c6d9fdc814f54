import type { Layout } from "../core/node/layout.ts";
import type { NodeKey } from "../core/node-key.ts";

/**
 * One node on its way from or to a file. A list of entries is a forest in document order: each entry
 * stands after its parent, which is the nearest entry before it that is one level less deep. So a
 * tree of any depth is read and written without recursion.
 */
export interface OutlineEntry {
  /** 0 at the top of the file; at most one more than that of the entry before. */
  readonly depth: number;
  /** An HTML fragment, as the API stores it. */
  readonly name: string;
  /** An HTML fragment with line breaks; absent when there is none. */
  readonly note?: string;
  readonly layout: Layout;
  /** Unix seconds, absent for an open node, `unknown` when the file only says that it is done. */
  readonly completedAt?: number | "unknown";
  /** Unix seconds, like `modifiedAt`; absent when the file does not say. */
  readonly createdAt?: number;
  readonly modifiedAt?: number;
  /** The key the node would like to keep, where no other node has it. Unique within the list. */
  readonly key?: NodeKey;
  /**
   * The key, as the list has it, of what it is a mirror of; it is one where that is in the same list.
   * Name, note, layout and completion are what it shows, for whoever does not know mirrors.
   */
  readonly origin?: NodeKey;
}

/** What a file may ask for. All bounds are inclusive. */
export interface ImportLimits {
  readonly maxNodes: number;
  /** Levels, the top one counted. */
  readonly maxDepth: number;
  /** UTF-8 bytes of one name or note. */
  readonly maxTextBytes: number;
}

export type ReadResult =
  | { readonly kind: "read"; readonly entries: readonly OutlineEntry[] }
  /** Nothing of the file is to be used. `place` is a line or a node, by its number from 1. */
  | { readonly kind: "broken"; readonly place?: string; readonly reason: string };

/** Reads one file, piece by piece. */
export interface OutlineReader {
  /**
   * Takes the next piece, cut anywhere.
   * @returns false when the file is already known to be broken and the rest need not be read
   */
  push(piece: string): boolean;
  /** The outcome; called once, after the last piece. */
  finish(): ReadResult;
}
