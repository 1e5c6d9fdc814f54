import { Component } from "preact";
import { useSelected, useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import type { FocusState } from "./focus/focus.ts";
import { hashOfKey } from "./rows/hash-place.ts";
import type { Row } from "./rows/outline-rows.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import { aboveRow, keyOf, type RowId } from "./rows/row-id.ts";
import { TextField } from "./text-field.tsx";
import { useFacts } from "./use-facts.ts";

type Shown = Pick<Row, "id" | "depth" | "hasChildren" | "isExpanded" | "isContext">;

export interface RowProps extends Shown {
  readonly screen: OutlineScreen;
  readonly index: number;
  /** Others have the focus, and it stands back. */
  readonly isDim: boolean;
  /** From 1, among its siblings. */
  readonly position: number;
  readonly siblings: number;
  /** Pixels from the top of the list. */
  readonly start: number;
}

/** A row is drawn anew only when something about it differs: most of them stay while one changes. */
export class OutlineRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const names = Object.keys(next) as (keyof RowProps)[];
    return names.some((name) => next[name] !== this.props[name]);
  }

  override render(props: RowProps) {
    return <RowContent {...props} />;
  }
}

function RowContent(props: RowProps) {
  const { screen, id, index, depth, hasChildren, isExpanded } = props;
  const { workspace } = screen;
  const nodeKey = keyOf(id);
  const { layout, isCompleted, hasNote, isMirror } = useFacts(workspace, nodeKey);
  const isSelected = useSelected(
    workspace.focus.state,
    (state) => state?.kind === "nodes" && state.ids.includes(id),
  );
  const isWithin = useSelected(workspace.focus.state, (state) =>
    isWithinSelection(workspace, state, id),
  );
  const isInNote = useSelected(
    workspace.focus.state,
    (state) => state?.kind === "text" && state.part === "note" && state.id === id,
  );
  const beside = useSource(screen.beside);
  const nameId = `name-${id}`;
  const fold = (): void => workspace.rows.setCollapsed([id], isExpanded);
  return (
    <div
      id={`row-${id}`}
      class="row"
      role="treeitem"
      data-key={id}
      data-index={index}
      data-layout={layout}
      data-mirror={isMirror ? "true" : undefined}
      data-completed={isCompleted ? "true" : undefined}
      data-dim={props.isDim ? "true" : undefined}
      data-context={props.isContext ? "true" : undefined}
      data-selected={isWithin ? "true" : undefined}
      aria-level={depth + 1}
      aria-expanded={hasChildren ? isExpanded : undefined}
      aria-setsize={props.siblings}
      aria-posinset={props.position}
      aria-selected={isSelected}
      aria-labelledby={`texts-${id}`}
      // Where its texts are empty; else its buttons would be its name.
      aria-label="Empty line"
      aria-description={isMirror ? "Mirror" : undefined}
      // By its name, as the note says for itself: bullet and guides stand where the text begins.
      dir="auto"
      style={{ transform: `translateY(${props.start}px)`, "--depth": depth }}
    >
      <div class="row-marks">
        {hasChildren && (
          <button
            type="button"
            class="fold"
            data-part="fold"
            tabIndex={-1}
            aria-label={isExpanded ? "Collapse" : "Expand"}
            onClick={fold}
          >
            <svg class="icon" viewBox="0 0 10 10" aria-hidden="true">
              <path d="M3 1.5 7 5 3 8.5" />
            </svg>
          </button>
        )}
        <a
          class="bullet"
          data-part="bullet"
          data-folded={hasChildren && !isExpanded ? "true" : undefined}
          href={hashOfKey(workspace.replica.outline.heldBy(nodeKey))}
          tabIndex={-1}
          draggable={false}
          aria-label={isMirror ? "Zoom into the mirrored line" : "Zoom in"}
        />
      </div>
      {layout === "todo" && (
        <button
          type="button"
          class="check"
          role="checkbox"
          data-part="check"
          tabIndex={-1}
          aria-checked={isCompleted}
          aria-labelledby={nameId}
          onClick={() => void workspace.replica.edits.complete([nodeKey], !isCompleted)}
        >
          <svg class="icon" viewBox="0 0 12 12" aria-hidden="true">
            <path d="m2.5 6.2 2.4 2.4 4.6-5" />
          </svg>
        </button>
      )}
      <div id={`texts-${id}`} class="texts">
        <div id={nameId}>
          <TextField screen={screen} id={id} part="name" role="name" />
        </div>
        {(hasNote || isInNote) && <TextField screen={screen} id={id} part="note" role="note" />}
      </div>
      {beside?.(nodeKey)}
    </div>
  );
}

/** Whether a row or something it is below is selected: it goes where that goes. */
function isWithinSelection({ replica }: Workspace, state: FocusState, id: RowId): boolean {
  if (state?.kind !== "nodes") return false;
  let up: RowId | undefined = id;
  while (up !== undefined && !state.ids.includes(up)) up = aboveRow(replica.outline, up);
  return up !== undefined;
}
