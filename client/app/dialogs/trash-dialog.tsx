import { useState } from "preact/hooks";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import { countOf } from "../page/status-words.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { Entry } from "./entry.tsx";
import { SureButton } from "./sure-button.tsx";
import { trashedNodes } from "./trashed-nodes.ts";

/** How many entries are drawn at first, and with each wish for more. */
const PAGE = 100;

/** What was deleted on any device: to be had back, or deleted for good. */
export function TrashDialog({ workspace, close }: DialogProps<"trash">) {
  const { replica, rows, notices } = workspace;
  useOutlineMaps(replica, [], ({ placed }) => placed.size > 0);
  const [shown, setShown] = useState(PAGE);
  const trashed = trashedNodes(replica.outline);

  function restore(key: NodeKey, title: string): void {
    if (replica.edits.restore(key).kind !== "ok") return;
    notices.show(`Restored “${title}”`, {
      label: "Show",
      run() {
        close(true);
        rows.reveal(key);
        workspace.focus.caret(key, "end");
      },
    });
  }

  function purge(keys: readonly NodeKey[]): void {
    replica.edits.purge(keys);
    notices.announce(`Deleted ${countOf(keys.length, "line")} for good`);
  }

  return (
    <Dialog label="Trash" close={close}>
      {trashed.length === 0 ? (
        <p class="dialog-note">
          The trash is empty. What you delete waits here until you empty it.
        </p>
      ) : (
        <>
          <ul class="entry-list" role="list">
            {trashed.slice(0, shown).map(({ key, title, place, below }) => (
              <Entry
                key={key}
                title={title}
                detail={below > 0 ? `${place}, with ${countOf(below, "line")} below it` : place}
              >
                <button type="button" class="button" onClick={() => restore(key, title)}>
                  Restore
                </button>
                <SureButton
                  label="Delete for good"
                  sureLabel="Really delete"
                  name={title}
                  act={() => purge([key])}
                />
              </Entry>
            ))}
          </ul>
          {trashed.length > shown && (
            <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
              {`Show more of ${countOf(trashed.length, "line")}`}
            </button>
          )}
          <footer class="dialog-foot">
            <SureButton
              label="Empty the trash"
              sureLabel="Delete everything here"
              tone="danger"
              warning="Deleted for good, on all devices. This can't be undone."
              act={() => purge(trashed.map(({ key }) => key))}
            />
          </footer>
        </>
      )}
    </Dialog>
  );
}
