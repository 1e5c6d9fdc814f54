import type { NodeKey, Random } from "../../../src/core/node-key.ts";
import type { View } from "./view.ts";

/** Somebody who changes the outline all the while. */
export interface Author {
  readonly name: string;
  /** The number of each name up to which it was told that it is durable. */
  readonly acknowledged: ReadonlyMap<NodeKey, number>;
  /** Makes a change. Resolves when it was sent, or answered where there are answers. */
  step(view: View, isStructural: boolean): Promise<void>;
  /** Answers that can't be, in words. */
  readonly offences: readonly string[];
}

export interface AuthorOptions {
  readonly name: string;
  readonly random: Random;
  /** A node that nobody else writes. */
  readonly fence: NodeKey;
}
