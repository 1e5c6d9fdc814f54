import type { Workspace } from "../state/workspace.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import { type Banner, bannerOfStatus } from "./trouble-words.ts";
import { useStatus } from "./use-status.ts";

const LABELS: Readonly<Record<Banner["action"], string>> = {
  sign_in: "Sign in",
  reload: "Reload",
  export: "Export",
};

/** What a person should know before the next word they type. */
export function StatusBanner({ workspace }: { readonly workspace: Workspace }) {
  const banner = bannerOfStatus(useStatus(workspace.replica));
  if (banner === undefined) return null;
  const { text, tone, action } = banner;
  return (
    <div class="banner" data-part="banner" data-tone={tone}>
      <p>{text}</p>
      <button type="button" class="button" onClick={() => runAction(workspace, action)}>
        {LABELS[action]}
      </button>
    </div>
  );
}

function runAction({ dialog, replica }: Workspace, action: Banner["action"]): void {
  if (action === "sign_in") dialog.set({ kind: "sign_in" });
  else if (action === "export") dialog.set({ kind: "export", from: ROOT });
  // What is typed last is stored first, or sent where nothing is stored.
  else {
    const { status } = replica;
    const isSent = status.kind === "unsaved" && status.isConnected;
    void (isSent ? replica.saved() : replica.stored()).then(reload, reload);
  }
}

function reload(): void {
  location.reload();
}
