import { IndexedDbStore } from "../../lib/browser/indexeddb-store.ts";
import { forgetLastWords } from "../../lib/browser/local-storage-words.ts";
import type { Replica } from "../../lib/replica.ts";
import { forgetView } from "../page/kept-view.ts";
import type { PageStorage } from "../page/page-storage.ts";
import { rememberOutline, storeNameOf } from "../page/remembered-outline.ts";
import { beginSignOut, finishSignOut } from "./finish-sign-out.ts";

/**
 * Ends the session and leaves nothing of the outline on this device. Without a network the cookie is
 * left for the next start: until the server has taken it away, the app opens nothing with it.
 */
export async function leaveDevice(
  replica: Replica,
  storage: PageStorage,
  ask: typeof fetch,
): Promise<void> {
  const { id } = replica.outline;
  beginSignOut(storage);
  rememberOutline(storage, undefined);
  forgetView(storage);
  await discard(replica, storeNameOf(id));
  await finishSignOut(storage, ask);
  location.replace("/");
}

/** The person has been told what is not sent: whatever the store says now, nothing is kept. */
async function discard(replica: Replica, storeName: string): Promise<void> {
  try {
    await replica.close();
  } catch {
    // It could not store the last edits, which go as well.
  }
  forgetLastWords(storeName);
  try {
    const store = await IndexedDbStore.open(storeName);
    await store.destroy();
  } catch {
    // Storage is off or broken, so there is nothing that another start could show.
  }
}
