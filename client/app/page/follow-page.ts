import { ROOT } from "../../../src/core/node-key.ts";
import { beforeHidden } from "../outline/focus/before-hidden.ts";
import { followOutline } from "../state/follow-outline.ts";
import type { Workspace } from "../state/workspace.ts";
import type { keepView as KeepView } from "./keep-view.ts";
import { shortened, titleOf } from "./node-names.ts";
import type { PageStorage } from "./page-storage.ts";
import { readRememberedOutline } from "./remembered-outline.ts";
import { wouldLoseEdits } from "./status-words.ts";

/** Long enough that a burst of edits keeps the view once. */
const KEEP_AFTER_MS = 2000;

/** Ties an open outline to the browser's page: its title, its first view next time, leaving it. */
export function followPage(workspace: Workspace, storage: PageStorage): void {
  const { replica, rows } = workspace;

  let keepView: typeof KeepView | undefined;
  // Without it the next start shows no rows before it has them.
  void import("./keep-view.ts").then(
    (module) => (keepView = module.keepView),
    () => undefined,
  );
  const keep = (): void => {
    // Not any more after a sign-out.
    if (readRememberedOutline(storage)?.outline !== replica.outline.id) return;
    if (rows.query.get() !== "") return;
    keepView?.(storage, replica.outline, rows.zoom.get(), rows.rows.get());
  };
  let timer: number | undefined;
  rows.rows.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(keep, KEEP_AFTER_MS);
  });
  beforeHidden(keep);

  const name = (): void => {
    const zoom = rows.zoom.get();
    document.title =
      zoom === ROOT ? "Outline" : `${shortened(titleOf(replica.outline, zoom), 60)} · Outline`;
  };
  rows.zoom.subscribe(name);
  followOutline(replica, (outline) =>
    outline.onChange(({ nodes }) => nodes.has(rows.zoom.get()) && name()),
  );
  name();

  addEventListener("beforeunload", (event) => {
    if (wouldLoseEdits(replica.status)) event.preventDefault();
  });
  // Signed out, or another outline, in another tab: what is shown here is no longer this browser's.
  addEventListener("storage", ({ key }) => {
    // All was cleared at once, which is no sign-out: what is not sent is still in this page.
    if (key === null) return;
    if (readRememberedOutline(storage)?.outline !== replica.outline.id) location.reload();
  });
}
