import type { CompactReply, CompactRequest } from "../lib/browser/compact-in-worker.ts";
import { compactDatabase } from "../lib/browser/compact-database.ts";
import { StoreError } from "../lib/store/replica-store.ts";

/** Compacts the database that it is told, answers, and is ended by whoever started it. */
addEventListener("message", ({ data }: MessageEvent<CompactRequest>) => {
  void compactDatabase(indexedDB, data.name).then(
    () => reply({ kind: "done" }),
    (error: unknown) => {
      const code = error instanceof StoreError ? error.code : "failed";
      const message = error instanceof Error ? error.message : String(error);
      reply({ kind: "failed", code, message });
    },
  );
});

function reply(message: CompactReply): void {
  postMessage(message);
}
