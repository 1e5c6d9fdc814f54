import type { SignInPageProps } from "../sign-in/sign-in-page.tsx";
import type { Preferences } from "../settings/preferences.ts";
import { late } from "../state/late.tsx";
import type { Source } from "../state/source.ts";
import { useSource } from "../state/use-source.ts";
import type { AppState } from "./app-state.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { FailedPage } from "./failed-page.tsx";
import { KeptViewPage } from "./kept-view-page.tsx";

const ASKING = (
  <main class="asking" aria-busy="true">
    Loading…
  </main>
);

const SignInPage = late<SignInPageProps & { readonly onMissing: () => void }>(
  async () => (await import("../sign-in/sign-in-page.tsx")).SignInPage,
  ({ onMissing }) => onMissing(),
  ASKING,
);

/** The page in each of its states. */
export function App({
  state,
  preferences,
  offeredKey,
  onSignedIn,
  onMissing,
}: {
  readonly state: Source<AppState>;
  readonly preferences: Preferences;
  /** From a sign-in link. */
  readonly offeredKey: string | undefined;
  readonly onSignedIn: () => Promise<void>;
  /** Called when a part of the app can't be had. */
  readonly onMissing: () => void;
}) {
  const shown = useSource(state);
  switch (shown.kind) {
    case "asking":
      return ASKING;
    case "starting":
      return <KeptViewPage kept={shown.kept} hasSidebar={preferences.showsPlaces.get()} />;
    case "sign_in":
      return <SignInPage {...{ reason: shown.reason, offeredKey, onSignedIn, onMissing }} />;
    case "failed":
      return <FailedPage failure={shown.failure} />;
    case "open":
      return <ErrorBoundary store={shown.store}>{shown.page}</ErrorBoundary>;
  }
}
