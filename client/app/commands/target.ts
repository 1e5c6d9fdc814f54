import { keyOf } from "../outline/rows/row-id.ts";
import type { FocusState } from "../outline/focus/focus.ts";
import type { CommandTarget } from "./command.ts";

/** What a command works on when it is run now. */
export function targetOf(state: FocusState): CommandTarget {
  switch (state?.kind) {
    case undefined:
      return { keys: [], ids: [] };
    case "nodes":
      return { keys: state.ids.map(keyOf), ids: state.ids };
    case "text": {
      const { id, part, anchor, head } = state;
      const text = { part, from: Math.min(anchor, head), to: Math.max(anchor, head) };
      return { keys: [keyOf(id)], ids: [id], text };
    }
  }
}
