import { INBOX } from "../../../src/core/node-key.ts";
import { escapeText } from "../../../src/core/text/render.ts";
import { OTHER_COMMANDS } from "../commands/later-commands.ts";
import { isDone } from "../commands/outcome.ts";
import type { Workspace } from "../state/workspace.ts";
import { forgetShared, readShared, type SharedText } from "./shared-texts.ts";

/** What a shortcut of the home screen asks for: `/?do=capture`. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["capture", "page.capture"],
  ["today", "page.today"],
  ["search", "page.search"],
]);

/** The server has been asked to take what was shared, and leads here: the service worker is not there. */
const NOT_SHARED = "What was shared has not arrived. Share it once more.";

/** Does what the app was opened for: a shortcut of the home screen, and what other apps have shared. */
export async function launch(workspace: Workspace, address: Location): Promise<void> {
  const asked = new URLSearchParams(address.search).get("do");
  if (address.search !== "") history.replaceState(history.state, "", `/${address.hash}`);
  await takeShared(workspace);
  workspace.commands.add(OTHER_COMMANDS);
  const command = COMMANDS.get(asked ?? "");
  if (asked === "share") workspace.notices.warn(NOT_SHARED);
  if (command !== undefined) workspace.commands.run(command);
}

/** Puts what was shared into the inbox. It is forgotten where it waits only when it is stored here. */
async function takeShared(workspace: Workspace): Promise<void> {
  const shared = await readShared();
  if (shared.length === 0) return;
  const { replica, rows, notices } = workspace;
  const taken = shared.filter((each) => take(workspace, each));
  await replica.stored();
  await forgetShared(taken);
  if (taken.length === 0) return;
  notices.show("Shared into the inbox", { label: "Show", run: () => rows.zoomTo(INBOX) });
}

/**
 * The title is the line and the rest its note, letter for letter: none of it is markdown. The line has
 * the key of what was shared, so it is made once, even when the page ends before that is forgotten.
 * @returns whether it is in the outline
 */
function take(workspace: Workspace, { key, title, text, url }: SharedText): boolean {
  const { edits, outline } = workspace.replica;
  if (outline.isTaken(key)) return true;
  const body = text.trim().replaceAll(/\r\n?/g, "\n");
  const lines = body.split("\n");
  // Many programs put the title before the text once more, or the address into it.
  const parts = [lines[0] === title ? "" : title, body, lines.includes(url) ? "" : url];
  const said = parts.map((part) => part.trim()).filter((part) => part !== "");
  const [name = "", ...note] = escapeText(said.join("\n")).split("\n");
  const line = { depth: 0, layout: "bullets", key, name, note: note.join("\n") } as const;
  return isDone(workspace, edits.insert([line], { parent: INBOX, position: "top" }));
}
