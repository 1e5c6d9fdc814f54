import type { Layout } from "../../../src/core/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";

/** Where a node stood among its visible siblings. */
export interface FormerPlace {
  readonly parent: NodeKey;
  readonly after: NodeKey | undefined;
  readonly before: NodeKey | undefined;
}

/**
 * What was done to the structure or the state of nodes, with what it takes to do the opposite later,
 * when others may have changed more.
 */
export type Change =
  /** Nodes that were made here; parents stand before their children. */
  | { readonly kind: "created"; readonly keys: readonly NodeKey[] }
  /** Nodes that came out of the trash. */
  | { readonly kind: "restored"; readonly keys: readonly NodeKey[] }
  /** Nodes that went to the trash. `made` when that took back their creation. */
  | {
      readonly kind: "trashed";
      readonly keys: readonly NodeKey[];
      readonly made?: readonly NodeKey[];
    }
  | {
      readonly kind: "moved";
      readonly key: NodeKey;
      readonly from: FormerPlace;
      /** The time of this very move: another one means that somebody moved the node since. */
      readonly movedAt: number;
    }
  /** Unix seconds; null is open. */
  | {
      readonly kind: "completed";
      readonly key: NodeKey;
      readonly from: number | null;
      readonly to: number | null;
    }
  | {
      readonly kind: "layout";
      readonly key: NodeKey;
      readonly from: Layout;
      readonly to: Layout;
    }
  /** Entries of the map of shortcuts, as they are stored. */
  | {
      readonly kind: "shortcut";
      readonly entry: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
    };
