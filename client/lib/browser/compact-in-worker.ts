import type { StoreFailure } from "../store/replica-store.ts";
import { StoreError } from "../store/replica-store.ts";

/** What the worker is asked. */
export interface CompactRequest {
  /** Of the database. */
  readonly name: string;
}

export type CompactReply =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly code: StoreFailure; readonly message: string };

/** Compacts a database. Rejects with a StoreError; resolves early when it is told to stop. */
export type Compactor = (name: string, signal: AbortSignal) => Promise<void>;

/** Compacts in a worker. Where none can be had, nothing is done: that costs time, not data. */
export const compactInWorker: Compactor = (name, signal) =>
  new Promise((resolve, reject) => {
    const worker = newWorker();
    if (worker === undefined || signal.aborted) return resolve();
    const end = (): void => {
      worker.terminate();
      resolve();
    };
    signal.addEventListener("abort", end);
    worker.addEventListener("error", end);
    worker.addEventListener("message", ({ data }: MessageEvent<CompactReply>) => {
      signal.removeEventListener("abort", end);
      if (data.kind === "failed") reject(new StoreError(data.code, data.message));
      end();
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage({ name } satisfies CompactRequest);
  });

function newWorker(): Worker | undefined {
  try {
    // Literally so, for the bundler.
    return new Worker(new URL("../../worker/compact-worker.ts", import.meta.url), {
      type: "module",
    });
  } catch {
    return undefined;
  }
}
