import { ROOT } from "../../../src/core/node-key.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import type { DialogProps } from "../dialogs/dialog-props.ts";
import { KeysSection } from "./keys-section.tsx";
import { LookSection } from "./look-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { SignOutSection } from "./sign-out-section.tsx";
import { StarsSection } from "./stars-section.tsx";
import { StorageSection } from "./storage-section.tsx";
import { TimeSection } from "./time-section.tsx";
import "./settings.css";

/** Everything that can be set, on one page. */
export function SettingsDialog({ workspace, signOut, close }: DialogProps<"settings">) {
  const { dialog, preferences } = workspace;
  return (
    <Dialog label="Settings" size="large" close={close}>
      <div class="settings">
        <LookSection preferences={preferences} />
        <TimeSection workspace={workspace} />
        <StarsSection workspace={workspace} />
        <KeysSection workspace={workspace} />
        <SessionsSection workspace={workspace} />
        <section class="settings-section" aria-labelledby="settings-files">
          <h3 id="settings-files">Files</h3>
          <div class="entry-actions">
            <button
              type="button"
              class="button"
              onClick={() => dialog.set({ kind: "import", into: ROOT })}
            >
              Import…
            </button>
            <button
              type="button"
              class="button"
              onClick={() => dialog.set({ kind: "export", from: ROOT })}
            >
              Export…
            </button>
            <button type="button" class="button" onClick={() => dialog.set({ kind: "trash" })}>
              Trash…
            </button>
          </div>
        </section>
        <StorageSection workspace={workspace} />
        <SignOutSection workspace={workspace} signOut={signOut} />
      </div>
    </Dialog>
  );
}
