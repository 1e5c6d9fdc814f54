import { pasteLiterally } from "../clipboard/paste.ts";
import { focusOfKept, keptFocus } from "../outline/focus/kept-focus.ts";
import type { Command } from "./command.ts";

/** The key itself is the browser's: it pastes, and the outline takes the text as it is. */
export const PASTE_LITERALLY: Command = {
  id: "text.pasteLiteral",
  label: "Paste as plain text",
  group: "write",
  words: "literal unformatted clipboard",
  keys: ["Mod+Shift+V"],
  isNative: true,
  isEnabled: (_, { keys }) => keys.length > 0,
  async run(workspace) {
    const { replica, focus } = workspace;
    const kept = keptFocus(replica, focus.state.get());
    // The browser may ask the person first.
    const text = await navigator.clipboard.readText();
    pasteLiterally(workspace, text, { at: focusOfKept(replica, kept), takesCaret: true });
  },
};
