import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";

/** A client that works on the outline while its store fails. */
export interface Member {
  readonly name: string;
  /** Does a little, and notes what it was told; called every few milliseconds. */
  step(parent: NodeKey): void;
  /** Notes what it was told, and comes again when it was sent away, without doing anything. */
  look(): void;
  /** Whether it has a node; true for one that keeps nothing. */
  knows(key: NodeKey): boolean;
  /** Names below a node, as it shows them now; undefined for one that keeps nothing. */
  names(parent: NodeKey): ReadonlySet<string> | undefined;
  /** True when nothing that it did is on its way any more, and it has noted what it was told. */
  readonly isSettled: boolean;
  /** True when it gets acknowledgements, and hence can be told that its work is safe. */
  readonly isPromised: boolean;
  close(): Promise<void>;
}

export function namesBelow(outline: Outline, parent: NodeKey): ReadonlySet<string> {
  if (!outline.has(parent)) return new Set();
  return new Set(outline.childKeys(parent).map((key) => outline.node(key)?.name ?? ""));
}
