import type { StoreFailure } from "../../lib/store/replica-store.ts";
import { SENTENCES_OF_FAILURES } from "./status-words.ts";

/** The outline of this device can't be opened, and why. */
export function FailedPage({ failure }: { readonly failure: StoreFailure | "not_loaded" }) {
  return (
    <main class="sign-in">
      <div class="sign-in-card" role="alert">
        <h1>The outline can’t be opened</h1>
        <p class="sign-in-lead">
          {failure === "not_loaded"
            ? "A part of the app could not be loaded. What you wrote on this device is safe."
            : SENTENCES_OF_FAILURES[failure]}
        </p>
        <button type="button" class="button" data-tone="main" onClick={() => location.reload()}>
          Try again
        </button>
      </div>
    </main>
  );
}
