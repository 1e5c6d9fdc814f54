import { listen } from "../state/listen.ts";
import type { Workspace } from "../state/workspace.ts";

/** What is asked of a text before it is read at all, in UTF-16 units: what takes minutes is a file. */
const LONGEST_PASTE = 8_000_000;

/** Whether a text is short enough to be pasted; if not, that is said. */
export function isPastable({ notices }: Workspace, text: string): boolean {
  if (text.length <= LONGEST_PASTE) return true;
  const millions = Math.round(text.length / 1_000_000).toLocaleString("en");
  notices.warn(
    `Nothing was pasted: ${millions} million characters are too much for one paste. Save them as a file and import that.`,
  );
  return false;
}

/** Takes a file that was dropped or pasted: a text is offered for import, of anything else it is said. */
export function takeFile({ dialog, notices, rows }: Workspace, file: File): void {
  if (isMedia(file)) {
    notices.warn(
      `“${file.name || "The picture"}” was not added: an outline holds text, no pictures or other files yet.`,
    );
    return;
  }
  dialog.set({ kind: "import", into: rows.zoom.get(), file });
}

function isMedia({ type, name }: File): boolean {
  return /^(?:image|video|audio|font)\/|pdf|zip|octet-stream/.test(type) && !/\.opml$/i.test(name);
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

function letDrop(event: DragEvent): void {
  if (hasFiles(event)) event.preventDefault();
}

/** Files that are dropped anywhere on the page: without this the browser leaves the outline for them. */
export function followDroppedFiles(workspace: Workspace, page: Document): () => void {
  const onDrop = (event: DragEvent): void => {
    // The window for importing takes them itself.
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file !== undefined && workspace.dialog.get() === undefined) takeFile(workspace, file);
  };
  return listen(page, { dragover: letDrop, drop: onDrop });
}
