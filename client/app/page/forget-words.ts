import { forgetDraft } from "./capture-draft.ts";
import { forgetView } from "./kept-view.ts";
import type { PageStorage } from "./page-storage.ts";

/** Nothing that somebody wrote is left outside the store of an outline. */
export function forgetWords(storage: PageStorage): void {
  forgetView(storage);
  forgetDraft(storage);
}
