import { useEffect, useState } from "preact/hooks";
import { Entry } from "../dialogs/entry.tsx";
import type { Workspace } from "../state/workspace.ts";
import { endOtherSessions, endSession, type ListedSession, listSessions } from "./api-sessions.ts";
import { type ApiOutcome, problemOf } from "./call-api.ts";

const AWAY = "The server knows which browsers are signed in, and can't be reached now.";

/** The browsers that are signed in, and the way to sign out those that are not at hand. */
export function SessionsSection({ workspace }: { readonly workspace: Workspace }) {
  const [listed, setListed] = useState<ApiOutcome<readonly ListedSession[]>>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    void renew();
  }, []);

  async function renew(): Promise<void> {
    setListed(await listSessions(fetch));
  }

  async function end(ending: Promise<ApiOutcome<void>>, said: string): Promise<void> {
    const outcome = await ending;
    setProblem(problemOf(outcome, AWAY));
    if (outcome.kind === "done") workspace.notices.announce(said);
    await renew();
  }

  const sessions = listed?.kind === "done" ? listed.value : [];
  const hasOthers = sessions.some(({ isCurrent }) => !isCurrent);
  return (
    <section class="settings-section" aria-labelledby="settings-sessions">
      <h3 id="settings-sessions">Signed-in browsers</h3>
      <p class="hint">
        A browser that is signed out asks for a key again. What was written there and not yet sent
        stays on that device until then.
      </p>
      <ul class="entry-list" role="list">
        {sessions.map((session) => (
          <Entry key={session.id} title={session.browser} detail={aboutSession(session)}>
            {!session.isCurrent && (
              <button
                type="button"
                class="button"
                data-tone="quiet"
                aria-label={`Sign out ${session.browser}, ${aboutSession(session)}`}
                onClick={() =>
                  void end(endSession(fetch, session.id), `Signed out ${session.browser}`)
                }
              >
                Sign out
              </button>
            )}
          </Entry>
        ))}
      </ul>
      {listed !== undefined && listed.kind !== "done" && (
        <p class="dialog-note">{problemOf(listed, AWAY)}</p>
      )}
      {hasOthers && (
        <button
          type="button"
          class="button"
          onClick={() => void end(endOtherSessions(fetch), "Signed out everywhere else")}
        >
          Sign out everywhere else
        </button>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

function aboutSession({ isCurrent, createdAt, lastUsedAt }: ListedSession): string {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const since = `signed in ${day.format(createdAt * 1000)}`;
  return isCurrent
    ? `this browser, ${since}`
    : `${since}, last used ${moment.format(lastUsedAt * 1000)}`;
}
