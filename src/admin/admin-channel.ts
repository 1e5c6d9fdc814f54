import type { OutlineEntry } from "../formats/outline-entry.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "./admin-operations.ts";

/** How far a long operation is. `total` is what `done` will be at the end. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

export type Outcome =
  | { readonly kind: "done" }
  /** Nothing was changed; `reason` is a sentence for the person who asked. */
  | { readonly kind: "refused"; readonly reason: string };

export interface RunOptions<Item> {
  /** Only for an import. */
  readonly input?: AsyncIterable<OutlineEntry> | Iterable<OutlineEntry>;
  /** Awaited before the next item is made. */
  readonly onItem?: (item: Item) => void | Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Where the command's operations are run: by a server through its socket, or here on the store.
 * Rejects when the store or the connection fails; then it is unknown whether an operation that
 * changes something has done so.
 */
export interface AdminChannel {
  run<O extends AdminOperation>(
    operation: O,
    params: ParamsOf<O>,
    options?: RunOptions<ItemOf<O>>,
  ): Promise<Outcome>;
  close(): Promise<void>;
}

/** A server can't be reached as it should, or could not finish. The message is a sentence. */
export class AdminFailure extends Error {
  override readonly name = "AdminFailure";
}
