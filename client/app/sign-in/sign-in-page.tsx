import { AMBIGUOUS_SENTENCE } from "./ambiguous-sentence.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Why a person sees the sign-in page; absent when they are simply new here. */
export type SignInReason = "limited" | "ambiguous" | "unreachable" | "signing_out";

const SENTENCES: Readonly<Record<SignInReason, string>> = {
  limited:
    "That key opens only a part of an outline. The app keeps the whole of it on this device, so it needs a key for all of it.",
  ambiguous: AMBIGUOUS_SENTENCE,
  unreachable: "The server does not answer, and there is no outline on this device yet.",
  signing_out:
    "You are signed out, and the outline is gone from this device. The server ends the session when it can be reached again.",
};

export interface SignInPageProps {
  readonly reason: SignInReason | undefined;
  readonly offeredKey: string | undefined;
  readonly onSignedIn: () => Promise<void> | void;
}

/** The first page on a device. */
export function SignInPage({ reason, offeredKey, onSignedIn }: SignInPageProps) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>Outline</h1>
        <p class="sign-in-lead">
          Everything you write stays on this device and on your server, and works without a network.
        </p>
        {reason !== undefined && (
          <p class="sign-in-reason" role="alert">
            {SENTENCES[reason]}
          </p>
        )}
        <SignInForm offeredKey={offeredKey} onSignedIn={onSignedIn} />
        <p class="sign-in-hint">
          A key looks like <code>ok_…</code>. Make one in the settings of a device that is signed
          in, or ask whoever runs this server.
        </p>
        <details class="sign-in-hint">
          <summary>I run this server</summary>
          <p>
            The first key was shown when it first started. <code>npm run outline -- key add</code>{" "}
            makes another.
          </p>
        </details>
      </div>
    </main>
  );
}
