import { pasteLiterally } from "../clipboard/paste.ts";
import type { Command } from "./command.ts";

/** The key itself is the browser's: it pastes, and the outline takes the text as it is. */
export const PASTE_LITERALLY: Command = {
  id: "text.pasteLiteral",
  label: "Paste as plain text",
  group: "write",
  words: "literal unformatted clipboard",
  keys: { mac: ["Mod+Shift+V"], others: ["Mod+Shift+V"] },
  isNative: true,
  isEnabled: (_, { keys }) => keys.length > 0,
  async run(workspace) {
    pasteLiterally(workspace, await navigator.clipboard.readText());
  },
};
