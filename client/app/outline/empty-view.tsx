import { useLayoutEffect } from "preact/hooks";
import { isDone } from "../commands/outcome.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import type { OutlineScreen } from "./outline-screen.ts";

/** What is below the last row: a place to write on, or why there are no rows. */
export function EmptyView({ screen }: { readonly screen: OutlineScreen }) {
  const { workspace } = screen;
  const rows = useSource(workspace.rows.rows);
  const query = useSource(workspace.rows.query);
  const isEmpty = rows.length === 0;
  useLayoutEffect(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isEmpty && isFree) screen.addButton?.focus({ preventScroll: true });
  }, [screen, isEmpty]);
  if (query !== "") return isEmpty ? <p class="no-rows">Nothing here matches.</p> : null;
  return (
    <button
      ref={(element) => {
        screen.addButton = element;
      }}
      type="button"
      class={isEmpty ? "first-line" : "add-line"}
      data-part="add"
      aria-label={isEmpty ? undefined : "Add a line"}
      onClick={() => addLine(workspace)}
    >
      {isEmpty ? (
        <>
          Nothing here yet. Press <kbd>Enter</kbd> to write the first line.
        </>
      ) : (
        "+"
      )}
    </button>
  );
}

function addLine(workspace: Workspace): void {
  const { replica, rows, focus } = workspace;
  const made = replica.edits.create({ parent: rows.zoom.get(), position: "bottom", name: "" });
  if (isDone(workspace, made)) focus.caret(made.key, "start");
}
