import { useLayoutEffect, useRef } from "preact/hooks";
import { isDone } from "../commands/outcome.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";

/** What is below the last row: a place to write on, or why there are no rows. */
export function EmptyView({ workspace }: { readonly workspace: Workspace }) {
  const rows = useSource(workspace.rows.rows);
  const query = useSource(workspace.rows.query);
  const button = useRef<HTMLButtonElement>(null);
  const isEmpty = rows.length === 0;
  useLayoutEffect(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isEmpty && isFree) button.current?.focus({ preventScroll: true });
  }, [isEmpty]);
  if (query !== "") return isEmpty ? <p class="no-rows">Nothing here matches.</p> : null;
  return (
    <button
      ref={button}
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
