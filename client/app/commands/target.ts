import type { FocusState } from "../outline/focus.ts";
import type { CommandTarget } from "./command.ts";

/** What a command works on when it is run now. */
export function targetOf(state: FocusState): CommandTarget {
  switch (state?.kind) {
    case undefined:
      return { keys: [] };
    case "nodes":
      return { keys: state.keys };
    case "text": {
      const { key, part, anchor, head } = state;
      const text = { part, from: Math.min(anchor, head), to: Math.max(anchor, head) };
      return { keys: [key], text };
    }
  }
}
