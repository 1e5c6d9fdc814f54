import { keyOf, type RowId } from "../../../../client/app/outline/rows/row-id.ts";
import type { Desk } from "../../support/fake-workspace.ts";

/** Where the caret is: `name@offset`, with `:note` in a note; `[a b]` for selected nodes. */
export function focusIn({ workspace, replica }: Desk): string {
  const nameOf = (id: RowId): string => replica.edits.text(keyOf(id), "name")?.toJSON() ?? "?";
  const state = workspace.focus.state.get();
  if (state === undefined) return "nowhere";
  if (state.kind === "nodes") return `[${state.ids.map(nameOf).join(" ")}]`;
  const range = state.anchor === state.head ? `${state.head}` : `${state.anchor}-${state.head}`;
  return `${nameOf(state.id)}@${range}${state.part === "note" ? ":note" : ""}`;
}
