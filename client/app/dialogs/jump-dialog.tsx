import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { Finder } from "./finder.tsx";
import { useNodeFinder } from "./use-node-finder.ts";

/** Goes to a node by a part of its name. */
export function JumpDialog({ workspace, recent, close }: DialogProps<"jump">) {
  const search = useNodeFinder(workspace.replica, recent, { first: [ROOT] });
  return (
    <Dialog label="Jump to" hasHeading={false} close={close}>
      <Finder
        label="Jump to"
        placeholder="Jump to…"
        find={search.find}
        version={search.version}
        whenEmpty="No line has such a name."
        onTake={(id) => {
          close(true);
          workspace.rows.zoomTo(id as NodeKey, { caret: true });
        }}
      />
    </Dialog>
  );
}
