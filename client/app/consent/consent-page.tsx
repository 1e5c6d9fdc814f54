import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SignInForm } from "../sign-in/sign-in-form.tsx";
import { type Asked, type ConsentAnswer, decide, type Decision, readAsked } from "./consent-api.ts";
import { ConsentForm } from "./consent-form.tsx";

/** Where a person lets a program into the outline, or does not. */
export function ConsentPage({
  query,
  ask,
  leave,
  now,
}: {
  readonly query: string;
  readonly ask: typeof fetch;
  /** Takes the browser away, to an address that the server has named. */
  readonly leave: (address: string) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}) {
  const [state, setState] = useState<Asked | ConsentAnswer | undefined>();
  const [isBusy, setIsBusy] = useState(false);

  function take(answer: Asked | ConsentAnswer): void {
    setState(answer);
    if (answer.kind === "leave") leave(answer.to);
  }

  async function look(): Promise<void> {
    take(await readAsked(ask, query));
  }

  async function send(decision: Decision): Promise<void> {
    setIsBusy(true);
    take(await decide(ask, query, decision));
    setIsBusy(false);
  }

  useEffect(() => void look(), [query]);

  switch (state?.kind) {
    case undefined:
      return <Card title="One moment…" />;
    case "leave":
      return <Card title="Going back to the program…" />;
    case "sign_in":
      return (
        <Card title="Sign in first">
          <p class="sign-in-lead">
            A program asks for your outline. Sign in to this server to see which, and to decide.
          </p>
          <SignInForm onSignedIn={look} />
        </Card>
      );
    case "unreachable":
      return (
        <Card title="The server does not answer">
          <p class="sign-in-lead">Nothing was allowed. Check the network and try again.</p>
          <button type="button" class="button" onClick={() => void look()}>
            Try again
          </button>
        </Card>
      );
    case "refused":
      return (
        <Card title="This can’t be allowed here">
          <p class="sign-in-reason" role="alert">
            {state.reason}
          </p>
          {state.isOfSession ? (
            <>
              <p class="sign-in-lead">
                Sign in with a key that may write and sees the whole outline: only that can let
                others in.
              </p>
              <SignInForm onSignedIn={look} />
            </>
          ) : (
            <p class="sign-in-lead">
              Nothing was allowed, and nobody is told. Close this page, and start again from the
              program if you trust it.
            </p>
          )}
        </Card>
      );
    case "asked":
      return (
        <Card title={`Let ${state.clientName} in?`}>
          <WhoAsks asked={state} />
          <ConsentForm
            asked={state}
            ask={ask}
            isBusy={isBusy}
            now={now}
            onDecide={(decision) => void send(decision)}
          />
          <p class="sign-in-hint">
            It gets a key of its own, which you find and revoke under “Keys” in the settings.
          </p>
        </Card>
      );
  }
}

function WhoAsks({ asked }: { readonly asked: Asked }) {
  const { clientName, clientHost, redirectHost, isLocal, user } = asked;
  return (
    <>
      <p class="sign-in-lead">
        It asks for the outline of <strong>{user}</strong>.{" "}
        {clientHost === undefined ? (
          <>Nobody but itself says that it is {clientName}.</>
        ) : (
          <>
            <strong>{clientHost}</strong> answers for it.
          </>
        )}{" "}
        You will be sent to <strong>{redirectHost}</strong>.
      </p>
      {isLocal && (
        <p class="sign-in-reason">
          That is a program on this computer. Go on only if you have just started it there.
        </p>
      )}
    </>
  );
}

function Card({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <main class="sign-in">
      <div class="sign-in-card consent-card">
        <img src="/icon.svg" alt="" width="44" height="44" />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
