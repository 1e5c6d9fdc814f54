import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { useSelected, useSource } from "../state/use-source.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import { TextField } from "./text-field.tsx";
import { useFacts } from "./use-facts.ts";

/** Name and note of the zoomed node, edited like those of rows. Home has none that is seen. */
export function Title({ screen }: { readonly screen: OutlineScreen }) {
  const zoom = useSource(screen.workspace.rows.zoom);
  if (zoom === ROOT) return <h1 class="visually-hidden">Home</h1>;
  return <ZoomedTitle key={zoom} screen={screen} nodeKey={zoom} />;
}

function ZoomedTitle({
  screen,
  nodeKey,
}: {
  readonly screen: OutlineScreen;
  readonly nodeKey: NodeKey;
}) {
  const { hasNote, isCompleted } = useFacts(screen.workspace, nodeKey);
  const isInNote = useSelected(
    screen.workspace.focus.state,
    (state) => state?.kind === "text" && state.part === "note" && state.id === nodeKey,
  );
  return (
    <div class="title" data-completed={isCompleted ? "true" : undefined}>
      <h1>
        <TextField screen={screen} id={nodeKey} part="name" role="title" />
      </h1>
      {(hasNote || isInNote) && <TextField screen={screen} id={nodeKey} part="note" role="note" />}
    </div>
  );
}
