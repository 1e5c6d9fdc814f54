import type { NodeKey } from "../node-key.ts";

/** What the index is derived from. */
export interface TreeSource {
  /** Every key that may be a node's, once each, with what `read` says of it. */
  all(): Iterable<readonly [key: string, registers: NodeRegisters]>;
  /** The registers of a node; undefined for what is no node. */
  read(key: NodeKey): NodeRegisters | undefined;
  /** Whether there was a node under a key that has been removed for good. */
  isGone(key: NodeKey): boolean;
  /** Called with the time of each move that is read, for the logical clock. */
  sawMove(at: number): void;
}

export interface NodeRegisters {
  /** Undefined for what has no place in the tree. */
  readonly placement: string | undefined;
  /** Undefined while the node itself is not marked deleted. */
  readonly deletion: string | undefined;
  /** What it is a mirror of. */
  readonly origin: NodeKey | undefined;
  /** Whether there is or was a text or a place: then it is a node, even if its place can't be read. */
  readonly isWritten: boolean;
}
