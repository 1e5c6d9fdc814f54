import { useState } from "preact/hooks";
import { tellPartMissing } from "../page/part-missing.ts";
import { unsentOf } from "../page/status-words.ts";
import { useStatus } from "../page/use-status.ts";
import type { Workspace } from "../state/workspace.ts";

/** Of what has taken the place of the button that had it. */
function takeFocus(button: HTMLButtonElement | null): void {
  button?.focus();
}

/** The answers stand at the end of a long dialog, and what comes above them later moves them. */
function bringIntoSight(answers: HTMLElement | null): (() => void) | undefined {
  const settings = answers?.closest(".settings");
  if (!answers || !settings) return undefined;
  const resized = new ResizeObserver(() => answers.scrollIntoView({ block: "nearest" }));
  resized.observe(settings);
  return () => resized.disconnect();
}

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
  /** Undefined until somebody has asked. */
  const [isAsked, setIsAsked] = useState<boolean>();
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
      {isAsked !== true && (
        <>
          <p class="hint">Ends the session and deletes the outline from this device.</p>
          <button
            ref={isAsked === false ? takeFocus : null}
            type="button"
            class="button"
            onClick={() => setIsAsked(true)}
          >
            Sign out…
          </button>
        </>
      )}
      {isAsked === true && (
        <div ref={bringIntoSight} class="sign-out" role="alert">
          <p>
            {unsent === undefined
              ? "The server has everything you wrote. The copy on this device is deleted."
              : `The server does not have your ${unsent}. Signing out deletes them for good.`}
          </p>
          <div class="entry-actions">
            <button ref={takeFocus} type="button" class="button" onClick={() => setIsAsked(false)}>
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
