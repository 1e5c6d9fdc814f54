import { SignInPage } from "../sign-in/sign-in-page.tsx";
import type { Source } from "../state/source.ts";
import { useSource } from "../state/use-source.ts";
import type { AppState } from "./app-state.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { FailedPage } from "./failed-page.tsx";
import { KeptViewPage } from "./kept-view-page.tsx";

/** The page in each of its states. */
export function App({
  state,
  sidebar,
  offeredKey,
  onSignedIn,
}: {
  readonly state: Source<AppState>;
  readonly sidebar: Source<boolean>;
  /** From a sign-in link. */
  readonly offeredKey: string | undefined;
  readonly onSignedIn: () => Promise<void>;
}) {
  const shown = useSource(state);
  switch (shown.kind) {
    case "asking":
      return (
        <main class="asking" aria-busy="true">
          Loading…
        </main>
      );
    case "starting":
      return <KeptViewPage kept={shown.kept} hasSidebar={sidebar.get()} />;
    case "sign_in":
      return <SignInPage reason={shown.reason} offeredKey={offeredKey} onSignedIn={onSignedIn} />;
    case "failed":
      return <FailedPage failure={shown.failure} />;
    case "open":
      return <ErrorBoundary store={shown.store}>{shown.page}</ErrorBoundary>;
  }
}
