import type { OutlineId } from "../../../src/core/node-key.ts";
import { open } from "../../lib/browser/open.ts";
import type { Replica } from "../../lib/replica.ts";
import { StoreError } from "../../lib/store/replica-store.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import { createWorkspace } from "../state/create-workspace.ts";
import { loadHtml } from "../late/late-html.ts";
import { Cell } from "../state/source.ts";
import type { Workspace } from "../state/workspace.ts";
import type { AppState } from "./app-state.ts";
import { followPage } from "./follow-page.ts";
import { tellPartMissing } from "./part-missing.ts";
import { RecentNodes } from "./recent-nodes.ts";
import type { PageStorage } from "./page-storage.ts";
import { readRememberedOutline, storeNameOf } from "./remembered-outline.ts";
import { Shell } from "./shell.tsx";
import type { AppParts } from "./start-app.ts";
import { isEmpty } from "../../../src/core/yjs/struct-store.ts";

/** Opens an outline, and makes the page of it. */
export async function openOutline(parts: AppParts, outline: OutlineId): Promise<AppState> {
  const { storage, preferences, notices, ask } = parts;
  const replica = await openReplica(outline, storage, () => tellPartMissing(notices));
  if (replica instanceof StoreError) return { kind: "failed", failure: replica.code };

  const { records } = replica;
  const dialog = new Cell<DialogRequest | undefined>(undefined);
  const workspace = await createWorkspace({ replica, records, preferences, dialog, notices });
  const recent = new RecentNodes(records);
  void recent.follow(workspace.rows.zoom);
  followPage(workspace, storage);
  void fetchRest(workspace);
  const signOut = async (): Promise<void> => {
    const { leaveDevice } = await import("../sign-in/leave-device.ts");
    await leaveDevice(replica, storage, ask);
  };
  return {
    kind: "open",
    page: <Shell {...{ workspace, recent, notices, signOut }} />,
    store: () => replica.stored(),
  };
}

async function openReplica(
  outline: OutlineId,
  storage: PageStorage,
  onPartMissing: () => void,
): Promise<Replica | StoreError> {
  try {
    // After a sign-out, in whichever tab, nothing is to be left here.
    const mayStoreAnew = (): boolean => readRememberedOutline(storage)?.outline === outline;
    return await open({ name: storeNameOf(outline), outline, onPartMissing, mayStoreAnew });
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/** What nobody needs to begin with. Without it paper shows what the screen does. */
async function fetchRest(workspace: Workspace): Promise<void> {
  const { replica, notices } = workspace;
  const isNew = isEmpty(replica.outline.doc);
  // Absent in pages without TLS.
  const { serviceWorker: workers }: Partial<Navigator> = navigator;
  try {
    void (await import("../../lib/browser/storage-state.ts")).persistStorage();
    const { watchAppUpdates } = await import("./app-update.ts");
    void watchAppUpdates(workers, notices, () => {
      void replica.stored().finally(() => location.reload());
    });
    await loadHtml();
    if (isNew) (await import("../first-run/teach-on-first-run.ts")).teachOnFirstRun(workspace);
    // Behind that: what is planted has the time zone already.
    const { adoptTimezone } = await import("../first-run/adopt-timezone.ts");
    adoptTimezone(workspace, new Intl.DateTimeFormat().resolvedOptions().timeZone);
    await (await import("./launch.ts")).launch(workspace, location);
    (await import("./print-view.tsx")).followPrinting(workspace);
  } catch {
    tellPartMissing(notices);
  }
}
