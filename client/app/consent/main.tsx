import { render } from "preact";
import "@fontsource-variable/figtree/wght.css";
import "../style/tokens.css";
import "../style/base.css";
import "../style/page.css";
import "../dialogs/dialogs.css";
import "./consent.css";
import { browserPageStorage } from "../page/page-storage.ts";
import { applyLook, devicePreferences } from "../settings/device-preferences.ts";
import { ConsentPage } from "./consent-page.tsx";

applyLook(devicePreferences(browserPageStorage()), document.documentElement);
const place = document.getElementById("app");
if (place === null) throw new Error("the page has no place for what it shows");
render(
  <ConsentPage
    query={location.search.slice(1)}
    ask={(...request) => fetch(...request)}
    // The server has checked where it leads.
    leave={(address) => location.replace(address)}
    now={() => Date.now()}
  />,
  place,
);
