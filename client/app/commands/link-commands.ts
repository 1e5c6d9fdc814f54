import { linkTextOfNode } from "../../../src/core/link-names.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { hashOfKey } from "../outline/rows/hash-place.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";

export const LINK_COMMANDS: readonly Command[] = [
  {
    id: "node.copyLink",
    label: "Copy link",
    group: "outline",
    words: "address url reference share",
    keys: ["Mod+Shift+L"],
    places: ["slash", "bullet"],
    isEnabled: (workspace, target) => linkedKey(workspace, target) !== undefined,
    async run(workspace, target) {
      const key = linkedKey(workspace, target);
      if (key === undefined) return;
      await copyLink(workspace, key);
      workspace.notices.show("Link copied");
    },
  },
];

/** The line with the caret, or else the one that is zoomed into. */
function linkedKey({ replica, rows }: Workspace, { keys }: CommandTarget): NodeKey | undefined {
  const [key = rows.zoom.get()] = keys;
  return key === ROOT || keys.length > 1 ? undefined : replica.outline.heldBy(key);
}

/** As an address, and where formats are taken as a link that is called by the name of the line. */
async function copyLink({ replica }: Workspace, key: NodeKey): Promise<void> {
  const address = new URL(hashOfKey(key), location.href).href;
  const link = document.createElement("a");
  link.href = address;
  link.textContent = linkTextOfNode(replica.outline, key) || address;
  const parts = { "text/plain": address, "text/html": link.outerHTML };
  const blobs = Object.entries(parts).map(([type, text]) => [type, new Blob([text], { type })]);
  await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
}
