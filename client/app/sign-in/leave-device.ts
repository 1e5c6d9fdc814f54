import { IndexedDbStore } from "../../lib/browser/indexeddb-store.ts";
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
  await replica.close();
  const store = await IndexedDbStore.open(storeNameOf(id));
  await store.destroy();
  await finishSignOut(storage, ask);
  location.replace("/");
}
