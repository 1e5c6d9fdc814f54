import type { Replica } from "../../lib/replica.ts";
import { forgetWords } from "../page/forget-words.ts";
import type { PageStorage } from "../page/page-storage.ts";
import { rememberOutline, storeNameOf } from "../page/remembered-outline.ts";
import { discardStore } from "./discard-store.ts";
import { beginSignOut, finishSignOut } from "./finish-sign-out.ts";
import { noteToDiscard } from "./stores-to-discard.ts";

/**
 * Ends the session and leaves nothing of the outline on this device. Without a network the cookie is
 * left for the next start: until the server has taken it away, the app opens nothing with it.
 */
export async function leaveDevice(
  replica: Replica,
  storage: PageStorage,
  ask: typeof fetch,
): Promise<void> {
  const storeName = storeNameOf(replica.outline.id);
  beginSignOut(storage);
  rememberOutline(storage, undefined);
  forgetWords(storage);
  noteToDiscard(storage, storeName);
  try {
    await replica.close();
  } catch {
    // It could not store the last edits, which go as well: the person was told what is not sent.
  }
  await discardStore(storage, storeName);
  await finishSignOut(storage, ask);
  location.replace("/");
}
