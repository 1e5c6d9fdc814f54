import { IndexedDbStore } from "../../lib/browser/indexeddb-store.ts";
import { forgetLastWords } from "../../lib/browser/local-storage-words.ts";
import { StoreError } from "../../lib/store/replica-store.ts";
import type { PageStorage } from "../page/page-storage.ts";
import { forgetDiscarded } from "./stores-to-discard.ts";

/** Nobody waits longer for a browser's storage that hangs. */
const PATIENCE_MS = 5000;

/**
 * Removes a store that has been noted to go. Resolves when it is gone, and at the latest after some
 * seconds; what is left then is tried again at the next start.
 */
export async function discardStore(storage: PageStorage, storeName: string): Promise<void> {
  forgetLastWords(storeName);
  const patience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  await Promise.race([destroy(storage, storeName, patience.signal), tooLong]);
  clearTimeout(timer);
  patience.abort();
}

async function destroy(
  storage: PageStorage,
  storeName: string,
  patience: AbortSignal,
): Promise<void> {
  try {
    const store = await IndexedDbStore.open(storeName);
    // Somebody may have signed in by now, and work with it.
    if (patience.aborted) return await store.close();
    await store.destroy();
  } catch (error) {
    // Where nothing may be stored there is nothing that another start could show.
    if (!(error instanceof StoreError) || error.code !== "refused") return;
  }
  forgetDiscarded(storage, storeName);
}
