import type { OutlineId } from "../../../src/core/node-key.ts";
import { open } from "../../lib/browser/open.ts";
import type { Replica } from "../../lib/replica.ts";
import { StoreError } from "../../lib/store/replica-store.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import { plantFirstRun } from "../first-run/plant-first-run.ts";
import { keyOfHash } from "../outline/hash-place.ts";
import type { Preferences } from "../settings/preferences.ts";
import { createWorkspace } from "../state/create-workspace.ts";
import { Cell } from "../state/source.ts";
import type { Workspace } from "../state/workspace.ts";
import { watchAppUpdates } from "./app-update.ts";
import type { AppState } from "./app-state.ts";
import { readKeptView } from "./kept-view.ts";
import type { NoticeBoard } from "./notice-board.ts";
import { PAGE_COMMANDS } from "./page-commands.ts";
import { followPage } from "./follow-page.ts";
import { followPrinting } from "./print-view.tsx";
import type { PageStorage } from "./page-storage.ts";
import { RecentNodes } from "./recent-nodes.ts";
import { readRememberedOutline, rememberOutline, storeNameOf } from "./remembered-outline.ts";
import { readSession } from "./session.ts";
import { finishSignOut, isSignOutPending } from "../sign-in/finish-sign-out.ts";
import { leaveDevice } from "../sign-in/leave-device.ts";

const ask: typeof fetch = (...request) => fetch(...request);

export interface AppParts {
  readonly state: Cell<AppState>;
  readonly storage: PageStorage;
  readonly preferences: Preferences;
  readonly notices: NoticeBoard;
}

/** What to show before anything has been asked of anybody. */
export function firstState(storage: PageStorage, hash: string): AppState {
  const remembered = readRememberedOutline(storage);
  const kept =
    remembered === undefined
      ? undefined
      : readKeptView(storage, remembered.outline, keyOfHash(hash));
  return { kind: "starting", kept };
}

/**
 * Opens the outline that this browser has, without waiting for the server; without one, that of the
 * session; without a session, the sign-in page.
 */
export async function startApp(parts: AppParts): Promise<void> {
  const { state, storage } = parts;
  if (isSignOutPending(storage) && !(await finishSignOut(storage, ask))) {
    state.set({ kind: "sign_in", reason: "unreachable" });
    return;
  }
  const remembered = readRememberedOutline(storage);
  if (remembered !== undefined) {
    void openOutline(parts, remembered.outline);
    const answer = await readSession(ask);
    // Somebody else has signed in, in another tab or before this page was loaded.
    if (answer.kind === "session" && answer.outline !== remembered.outline) {
      rememberOutline(storage, answer);
      location.reload();
    }
    return;
  }
  const answer = await readSession(ask);
  if (answer.kind === "session") {
    rememberOutline(storage, answer);
    await openOutline(parts, answer.outline);
  } else if (answer.kind === "signed_out") state.set({ kind: "sign_in" });
  else state.set({ kind: "sign_in", reason: answer.kind });
}

async function openOutline(parts: AppParts, outline: OutlineId): Promise<void> {
  const { state, storage, preferences, notices } = parts;
  let replica: Replica;
  try {
    replica = await open({ name: storeNameOf(outline), outline });
  } catch (error) {
    state.set({ kind: "failed", failure: error instanceof StoreError ? error.code : "failed" });
    return;
  }
  const { records } = replica;
  const dialog = new Cell<DialogRequest | undefined>(undefined);
  const workspace = await createWorkspace({ replica, records, preferences, dialog, notices });
  workspace.commands.add(PAGE_COMMANDS);
  const recent = new RecentNodes(records);
  recent.follow(workspace.rows.zoom);
  void recent.load();
  followPage(workspace, storage);
  followPrinting(workspace);
  const signOut = (): Promise<void> => leaveDevice(replica, storage, ask);
  state.set({ kind: "open", workspace, recent, signOut });
  teachOnFirstRun(workspace);
  void navigator.storage?.persist?.();
  const reload = (): void => {
    void replica.stored().finally(() => location.reload());
  };
  void watchAppUpdates(navigator.serviceWorker, notices, reload);
}

function teachOnFirstRun({ replica, commands, rows, focus }: Workspace): void {
  const keyOf = (id: string): string => {
    const command = commands.get(id);
    return (command === undefined ? undefined : commands.keyLabel(command)) ?? "";
  };
  const keys = {
    indent: keyOf("node.indent"),
    complete: keyOf("node.complete"),
    zoomIn: keyOf("view.zoomIn"),
    zoomOut: keyOf("view.zoomOut"),
    jump: keyOf("page.jump"),
    help: keyOf("page.help"),
  };
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  plantFirstRun(replica, keys, timeZone, () => {
    const [first] = rows.rows.get();
    if (first !== undefined) focus.caret(first.key, "end");
  });
}
