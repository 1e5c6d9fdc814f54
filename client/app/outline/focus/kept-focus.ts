import type { Replica } from "../../../lib/replica.ts";
import type { FocusState, NodeFocus } from "./focus.ts";
import type { Workspace } from "../../state/workspace.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";
import { markText, rangeOfMark, type TextMark } from "./text-mark.ts";

/** A focus that is remembered for later, when others may have written in its text. */
export type KeptFocus =
  | {
      readonly kind: "text";
      readonly id: RowId;
      readonly mark: TextMark;
      readonly isBackward: boolean;
    }
  | NodeFocus
  | undefined;

export function keptFocus(replica: Replica, state: FocusState): KeptFocus {
  if (state?.kind !== "text") return state;
  const { id, part, anchor, head } = state;
  const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
  return {
    kind: "text",
    id,
    mark: markText(replica, { key: keyOf(id), part, from, to }),
    isBackward: head < anchor,
  };
}

/** What of a remembered focus is there now; undefined when it is gone. */
export function focusOfKept(replica: Replica, kept: KeptFocus): FocusState {
  if (kept === undefined) return undefined;
  if (kept.kind === "nodes") {
    return kept.ids.every((id) => replica.outline.has(keyOf(id))) ? kept : undefined;
  }
  const range = rangeOfMark(replica, kept.mark);
  if (range === undefined) return undefined;
  const { part, from, to } = range;
  const [anchor, head] = kept.isBackward ? [to, from] : [from, to];
  return { kind: "text", id: kept.id, part, anchor, head };
}

/** Asks for a remembered focus. False when it is gone. */
export function focusAgain({ focus, replica }: Workspace, kept: KeptFocus): boolean {
  const state = focusOfKept(replica, kept);
  if (state?.kind === "text") focus.selectText(state.id, state.part, state.anchor, state.head);
  else if (state !== undefined) focus.selectNodes(state.ids, state.anchor, state.head);
  return state !== undefined;
}
