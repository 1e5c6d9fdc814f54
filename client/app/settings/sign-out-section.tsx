import { useState } from "preact/hooks";
import { tellPartMissing } from "../page/part-missing.ts";
import { unsentOf } from "../page/status-words.ts";
import { useStatus } from "../page/use-status.ts";
import type { Workspace } from "../state/workspace.ts";

/** Leaving this device, with nothing of the outline left on it. */
export function SignOutSection({
  workspace,
  signOut,
}: {
  readonly workspace: Workspace;
  readonly signOut: () => Promise<void>;
}) {
  const { replica, dialog } = workspace;
  const unsent = unsentOf(useStatus(replica));
  const [isAsked, setIsAsked] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);

  async function leave(): Promise<void> {
    setIsLeaving(true);
    try {
      await signOut();
    } catch {
      setIsLeaving(false);
      tellPartMissing(workspace.notices);
    }
  }

  return (
    <section class="settings-section" aria-labelledby="settings-leave">
      <h3 id="settings-leave">Sign out</h3>
      {!isAsked && (
        <>
          <p class="hint">Ends the session and deletes the outline from this device.</p>
          <button type="button" class="button" onClick={() => setIsAsked(true)}>
            Sign out…
          </button>
        </>
      )}
      {isAsked && (
        <div class="sign-out" role="alert">
          <p>
            {unsent === undefined
              ? "The server has everything you wrote. The copy on this device is deleted."
              : `The server does not have your ${unsent}. Signing out deletes them for good.`}
          </p>
          <div class="entry-actions">
            <button type="button" class="button" onClick={() => setIsAsked(false)}>
              Stay
            </button>
            {unsent !== undefined && (
              <button
                type="button"
                class="button"
                onClick={() => dialog.set({ kind: "export", from: workspace.rows.zoom.get() })}
              >
                Export first
              </button>
            )}
            <button
              type="button"
              class="button"
              data-tone="danger"
              disabled={isLeaving}
              onClick={() => void leave()}
            >
              {unsent === undefined ? "Sign out" : `Sign out and lose ${unsent}`}
            </button>
          </div>
        </div>
      )}
    </section>
  );
}
