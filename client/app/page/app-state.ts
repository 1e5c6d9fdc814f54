import type { StoreFailure } from "../../lib/store/replica-store.ts";
import type { SignInReason } from "../sign-in/sign-in-page.tsx";
import type { Workspace } from "../state/workspace.ts";
import type { KeptView } from "./kept-view.ts";
import type { RecentNodes } from "./recent-nodes.ts";

/** What the page shows. */
export type AppState =
  /** The outline is being loaded; meanwhile what was on the screen last time. */
  | { readonly kind: "starting"; readonly kept: KeptView | undefined }
  | { readonly kind: "sign_in"; readonly reason?: SignInReason }
  | {
      readonly kind: "open";
      readonly workspace: Workspace;
      readonly recent: RecentNodes;
      readonly signOut: () => Promise<void>;
    }
  /** The local store can't be opened. */
  | { readonly kind: "failed"; readonly failure: StoreFailure };
