import { INBOX, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { neighbourOf } from "../commands/node-commands.ts";
import { keyOf } from "../outline/rows/row-id.ts";
import { countOf } from "../page/status-words.ts";
import { shortened, titleOf } from "../page/node-names.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { Finder } from "./finder.tsx";
import { useNodeFinder } from "./use-node-finder.ts";

/** Moves nodes to the end of another one, found by a part of its name. */
export function MoveDialog({ workspace, recent, request, close }: DialogProps<"move">) {
  const { replica, notices, rows, focus } = workspace;
  const { outline } = replica;
  const { ids } = request;
  const keys = ids.map(keyOf);
  const search = useNodeFinder(replica, recent, {
    first: [ROOT, INBOX],
    accepts: (key) => !keys.some((moved) => outline.contains(moved, key)),
  });
  const [first] = keys;
  const what =
    keys.length === 1 && first !== undefined
      ? `“${shortened(titleOf(outline, first), 40)}”`
      : countOf(keys.length, "line");

  function moveTo(parent: NodeKey): void {
    const next = neighbourOf(workspace, ids);
    const outcome = replica.edits.move(keys, { parent, position: "bottom" });
    const hasLeft = ids[0] !== undefined && rows.indexOf(ids[0]) < 0;
    const row = hasLeft ? next() : undefined;
    // The caret can't stay in a line that is shown here no more.
    close(row !== undefined);
    if (row !== undefined) focus.caret(row, "end");
    if (outcome.kind === "ok") {
      notices.show(`Moved ${what} to ${shortened(titleOf(outline, parent), 40)}`, {
        label: "Go there",
        run: () => rows.zoomTo(parent),
      });
    } else {
      notices.warn(`${what} can't be moved there any more.`);
    }
  }

  return (
    <Dialog label="Move to" hasHeading={false} close={close}>
      <Finder
        label="Move to"
        placeholder={`Move ${what} to…`}
        find={search.find}
        version={search.version}
        whenEmpty="No line has such a name."
        onTake={(id) => moveTo(id as NodeKey)}
      />
    </Dialog>
  );
}
