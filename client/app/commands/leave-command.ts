import type { Command } from "./command.ts";
import { holdFocus } from "./outcome.ts";

/** In the outline the Tab key indents: this is the way out of it, and back. */
export const LEAVE: Command = {
  id: "view.leave",
  label: "Leave the outline, or come back to it",
  group: "find",
  words: "tab focus keyboard out",
  keys: ["F6"],
  isEnabled: () => true,
  run(workspace) {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.closest(".outliner") !== null) {
      const search = document.querySelector<HTMLElement>("input[type=search]");
      if (search === null) activeElement.blur();
      else search.focus();
      return;
    }
    const { focus, rows } = workspace;
    const [first] = rows.rows.get();
    if (focus.state.get() !== undefined) holdFocus(workspace);
    else if (first !== undefined) focus.caret(first.key, "end");
  },
};
