import type { OutlineId } from "../../../src/core/node-key.ts";
import { keyOfHash } from "../outline/rows/hash-place.ts";
import type { Preferences } from "../settings/preferences.ts";
import { finishSignOut, forgetSignOut, isSignOutPending } from "../sign-in/finish-sign-out.ts";
import { forgetDiscarded, storesToDiscard } from "../sign-in/stores-to-discard.ts";
import type { Cell } from "../state/source.ts";
import type { AppState } from "./app-state.ts";
import { forgetWords } from "./forget-words.ts";
import { readKeptView } from "./kept-view.ts";
import type { NoticeBoard } from "./notice-board.ts";
import type { PageStorage } from "./page-storage.ts";
import { readRememberedOutline, rememberOutline, storeNameOf } from "./remembered-outline.ts";
import { readSession } from "./session.ts";

/** What the page is made of before an outline is open. */
export interface AppParts {
  readonly state: Cell<AppState>;
  readonly storage: PageStorage;
  readonly preferences: Preferences;
  readonly notices: NoticeBoard;
  readonly ask: typeof fetch;
  /** Opens an outline in the page: the larger part of the app, loaded beside the first view. */
  readonly openOutline: (parts: AppParts, outline: OutlineId) => Promise<AppState>;
  /** Removes what a sign-out left because the storage hung; resolves within seconds. */
  readonly discardStore: (storage: PageStorage, storeName: string) => Promise<void>;
}

/** What to show before anything has been asked of anybody. */
export function firstState(storage: PageStorage, hash: string): AppState {
  const remembered = readRememberedOutline(storage);
  if (remembered === undefined) return { kind: "asking" };
  return { kind: "starting", kept: readKeptView(storage, remembered.outline, keyOfHash(hash)) };
}

/**
 * Opens the outline that this browser has, without waiting for the server; without one, that of the
 * session; without a session, the sign-in page.
 *
 * @param restart loads the page anew
 */
export async function startApp(parts: AppParts, restart: () => void): Promise<void> {
  const { state, storage, ask } = parts;
  // A tab that had not heard of a sign-out may have kept its view behind it.
  if (readRememberedOutline(storage) === undefined) forgetWords(storage);
  const left = storesToDiscard(storage);
  await Promise.allSettled(left.map((storeName) => parts.discardStore(storage, storeName)));
  if (isSignOutPending(storage) && !(await finishSignOut(storage, ask))) {
    state.set({ kind: "sign_in", reason: "signing_out" });
    return;
  }
  const remembered = readRememberedOutline(storage);
  if (remembered !== undefined) {
    const opened = open(parts, remembered.outline);
    const answer = await readSession(ask);
    // Somebody else has signed in, in another tab or before this page was loaded.
    if (answer.kind === "session" && answer.outline !== remembered.outline) {
      rememberOutline(storage, answer);
      restart();
    }
    await opened;
    return;
  }
  const answer = await readSession(ask);
  if (answer.kind === "session") {
    rememberOutline(storage, answer);
    await open(parts, answer.outline);
  } else if (answer.kind === "signed_out") state.set({ kind: "sign_in" });
  else state.set({ kind: "sign_in", reason: answer.kind });
}

/** Goes on where a sign-in has made a new session. */
export function startSignedIn(parts: AppParts, restart: () => void): Promise<void> {
  forgetSignOut(parts.storage);
  return startApp(parts, restart);
}

async function open(parts: AppParts, outline: OutlineId): Promise<void> {
  // What could not be removed is in use again: another start must not remove what is written now.
  forgetDiscarded(parts.storage, storeNameOf(outline));
  try {
    parts.state.set(await parts.openOutline(parts, outline));
  } catch {
    parts.state.set({ kind: "failed", failure: "not_loaded" });
  }
}
