import type { ComponentChildren } from "preact";
import type { StoreFailure } from "../../lib/store/replica-store.ts";
import type { SignInReason } from "../sign-in/sign-in-page.tsx";
import type { KeptView } from "./kept-view.ts";

/** What the page shows. */
export type AppState =
  /** Nobody is known to have signed in: the server is being asked. */
  | { readonly kind: "asking" }
  /** The outline is being loaded; meanwhile what was on the screen last time. */
  | { readonly kind: "starting"; readonly kept: KeptView | undefined }
  | { readonly kind: "sign_in"; readonly reason?: SignInReason }
  | {
      readonly kind: "open";
      readonly page: ComponentChildren;
      /** Makes durable on this device what was done so far. */
      readonly store: () => Promise<void>;
    }
  /** The local store can't be opened, or the app itself can't be loaded. */
  | { readonly kind: "failed"; readonly failure: StoreFailure | "not_loaded" };
