import type { Layout } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";

/** Where a node stood among its visible siblings. */
export interface FormerPlace {
  readonly parent: NodeKey;
  readonly order: string;
  readonly after: NodeKey | undefined;
  readonly before: NodeKey | undefined;
}

/** A node that went to the trash. */
export interface TrashedNode {
  readonly key: NodeKey;
  /** Where it belongs when it comes back, and which version of its place that is. */
  readonly from: FormerPlace;
  readonly version: number;
  /** The version of its place while it is in the trash; another one means that somebody moved it. */
  readonly hiddenVersion: number;
}

/** A node that came out of the trash. */
export interface RestoredNode {
  readonly key: NodeKey;
  /** The version of its place before: coming back may move a node. */
  readonly hiddenVersion: number;
}

/**
 * What was done to the structure or the state of nodes, with what it takes to do the opposite later,
 * when others may have changed more. Versions of places are those of {@link PlaceVersions}.
 */
export type Change =
  /** Nodes that were made here; parents stand before their children. */
  | { readonly kind: "created"; readonly keys: readonly NodeKey[] }
  /** `keys`: everything that came out with the nodes, parents before their children. */
  | {
      readonly kind: "restored";
      readonly nodes: readonly RestoredNode[];
      readonly keys: readonly NodeKey[];
    }
  /** `made` when that took back the creation of these nodes. */
  | {
      readonly kind: "trashed";
      readonly nodes: readonly TrashedNode[];
      readonly made?: readonly NodeKey[];
    }
  | {
      readonly kind: "moved";
      readonly key: NodeKey;
      readonly from: FormerPlace;
      readonly fromVersion: number;
      /** When the node has another one, somebody has moved it since. */
      readonly toVersion: number;
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
  /** Entries of the map of shortcuts, as they are stored, but for the times of the writes. */
  | {
      readonly kind: "shortcut";
      readonly entry: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
    };
