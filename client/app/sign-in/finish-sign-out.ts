import type { PageStorage } from "../page/page-storage.ts";
import { signOut } from "../page/session.ts";

const PENDING = "sign-out";

/** From now on the session counts as ended, whether or not the server has heard of it. */
export function beginSignOut(storage: PageStorage): void {
  storage.write(PENDING, true);
}

/** Whether the cookie, which scripts can't touch, may still be there after a sign-out. */
export function isSignOutPending(storage: PageStorage): boolean {
  return storage.read(PENDING) === true;
}

/** @returns whether the server has ended the session */
export async function finishSignOut(storage: PageStorage, ask: typeof fetch): Promise<boolean> {
  const isDone = await signOut(ask);
  if (isDone) forgetSignOut(storage);
  return isDone;
}

/** The session is another one: there is nothing left to end. */
export function forgetSignOut(storage: PageStorage): void {
  storage.write(PENDING, undefined);
}
