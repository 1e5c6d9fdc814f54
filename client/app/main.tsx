import { render } from "preact";
import "@fontsource-variable/figtree/wght.css";
import "@fontsource-variable/figtree/wght-italic.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/page.css";
import "./style/print.css";
import "./search/search.css";
import "./outline/outline.css";
import "./editor/editor.css";
import { App } from "./page/app.tsx";
import { NoticeBoard } from "./page/notice-board.ts";
import { browserPageStorage } from "./page/page-storage.ts";
import { type AppParts, firstState, startApp, startSignedIn } from "./page/start-app.ts";
import { trustOwnScripts } from "./page/trust-own-scripts.ts";
import { applyLook, devicePreferences } from "./settings/device-preferences.ts";
import { takeKeyOfAddress } from "./sign-in/key-of-address.ts";
import { Cell } from "./state/source.ts";

trustOwnScripts();

// The rows of the last view need little; the rest is fetched beside it, and is seldom far behind.
const rest = import("./page/open-outline.tsx");
const offeredKey = takeKeyOfAddress(location, history);
const storage = browserPageStorage();
const parts: AppParts = {
  state: new Cell(firstState(storage, location.hash)),
  storage,
  preferences: devicePreferences(storage),
  notices: new NoticeBoard({ setTimeout: (callback, ms) => setTimeout(callback, ms) }),
  ask: (...request) => fetch(...request),
  openOutline: async (...of) => (await rest).openOutline(...of),
  discardStore: async (...of) => (await import("./sign-in/discard-store.ts")).discardStore(...of),
};

const restart = (): void => location.reload();

applyLook(parts.preferences, document.documentElement);
const place = document.getElementById("app");
if (place === null) throw new Error("the page has no place for the app");
const onSignedIn = (): Promise<void> => startSignedIn(parts, restart);
render(
  <App
    state={parts.state}
    preferences={parts.preferences}
    offeredKey={offeredKey}
    onSignedIn={onSignedIn}
    onMissing={() => parts.state.set({ kind: "failed", failure: "not_loaded" })}
  />,
  place,
);
void startApp(parts, restart);
