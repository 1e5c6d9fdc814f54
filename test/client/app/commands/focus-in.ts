import type { NodeKey } from "../../../../src/core/node-key.ts";
import type { Desk } from "../../support/fake-workspace.ts";

/** Where the caret is: `name@offset`, with `:note` in a note; `[a b]` for selected nodes. */
export function focusIn({ workspace, replica }: Desk): string {
  const nameOf = (key: NodeKey): string => replica.edits.text(key, "name")?.toJSON() ?? "?";
  const state = workspace.focus.state.get();
  if (state === undefined) return "nowhere";
  if (state.kind === "nodes") return `[${state.keys.map(nameOf).join(" ")}]`;
  const range = state.anchor === state.head ? `${state.head}` : `${state.anchor}-${state.head}`;
  return `${nameOf(state.key)}@${range}${state.part === "note" ? ":note" : ""}`;
}
