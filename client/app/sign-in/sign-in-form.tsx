import { useId, useRef, useState } from "preact/hooks";
import { type SignInAnswer, signIn } from "./sign-in.ts";

/** Trades the API key for a session. The key leaves the field as soon as the server has it. */
export function SignInForm({
  offeredKey,
  onSignedIn,
}: {
  /** From a link; the person only has to agree. */
  readonly offeredKey?: string | undefined;
  readonly onSignedIn: () => Promise<void> | void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function send(): Promise<void> {
    const field = input.current;
    const key = field?.value.trim() ?? "";
    if (field === null || isBusy) return;
    if (key === "") {
      setProblem("Paste your key: it begins with ok_.");
      field.focus();
      return;
    }
    setIsBusy(true);
    setProblem("");
    const answer = await signIn(fetch, key);
    setIsBusy(false);
    if (answer.kind === "signed_in") {
      field.value = "";
      await onSignedIn();
    } else {
      setProblem(sentenceOf(answer));
      field.select();
    }
  }

  return (
    <form
      class="sign-in-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="field">
        <label for={id}>Your key</label>
        <input
          ref={input}
          id={id}
          class="input"
          type="password"
          defaultValue={offeredKey}
          autocomplete="current-password"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={problem !== ""}
          aria-describedby={`${id}-problem`}
          autofocus
        />
        <p id={`${id}-problem`} class="problem" role="alert">
          {problem}
        </p>
      </div>
      <button type="submit" class="button" data-tone="main" aria-busy={isBusy}>
        {isBusy ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}

function sentenceOf(answer: Exclude<SignInAnswer, { kind: "signed_in" }>): string {
  switch (answer.kind) {
    case "wrong_key":
      return "The server does not know this key.";
    case "wait":
      return `Too many attempts. Try again in ${answer.seconds} seconds.`;
    case "unreachable":
      return "The server does not answer. Check the network and try again.";
  }
}
