import { useState } from "preact/hooks";
import { Dialog } from "../dialogs/dialog.tsx";
import type { DialogProps } from "../dialogs/dialog-props.ts";
import { readSession } from "../page/session.ts";
import { unsentOf } from "../page/status-words.ts";
import { useStatus } from "../page/use-status.ts";
import { AMBIGUOUS_SENTENCE } from "./ambiguous-sentence.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Signing in again, over the outline, which stays open meanwhile. */
export function SignInDialog({ workspace, close }: DialogProps<"sign_in">) {
  const { replica } = workspace;
  const unsent = unsentOf(useStatus(replica));
  const [problem, setProblem] = useState<"other" | "limited" | "ambiguous" | undefined>();

  async function check(): Promise<void> {
    const answer = await readSession(fetch);
    if (answer.kind === "session" && answer.outline !== replica.outline.id) setProblem("other");
    else if (answer.kind === "limited" || answer.kind === "ambiguous") setProblem(answer.kind);
    else {
      replica.connect();
      close();
    }
  }

  return (
    <Dialog label="Sign in again" size="small" close={close}>
      <p>
        {unsent === undefined
          ? "The key of this device is no longer valid. Everything you wrote is on the server."
          : `The key of this device is no longer valid. Your ${unsent} are safe here, to be sent after the sign-in.`}
      </p>
      {(problem === "limited" || problem === "ambiguous") && (
        <p class="problem" role="alert">
          {problem === "ambiguous"
            ? AMBIGUOUS_SENTENCE
            : "That key opens only a part of the outline; this needs one for all of it."}
        </p>
      )}
      {problem === "other" && (
        <div class="problem" role="alert">
          <p>
            That key belongs to another outline. What is unsent of this one stays on this device
            until a key of its own signs in again.
          </p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Open the other outline
          </button>
        </div>
      )}
      <SignInForm onSignedIn={check} />
    </Dialog>
  );
}
