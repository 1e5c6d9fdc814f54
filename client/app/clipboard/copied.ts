import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { sliceOfText } from "../../lib/edit/slice-of-text.ts";
import { keyOf } from "../outline/rows/row-id.ts";
import type { Workspace } from "../state/workspace.ts";
import { entriesOfNodes } from "./entries-of-nodes.ts";
import { htmlOfEntries } from "./html-of-entries.ts";
import { OWN_TYPE, ownTextOf, ownTextOfLine } from "./own-format.ts";
import { textOfCopied } from "./text-of-copied.ts";

/** What goes onto the clipboard: a text for each type. */
export type Copied = ReadonlyMap<string, string>;

/** The selected nodes or the selected text, in all forms; undefined when nothing is selected. */
export function copiedOf({ replica, focus }: Workspace): Copied | undefined {
  const state = focus.state.get();
  if (state === undefined) return undefined;
  if (state.kind === "nodes") {
    const entries = entriesOfNodes(replica.outline, state.ids.map(keyOf));
    return new Map([
      ["text/plain", textOfCopied(entries)],
      ["text/html", htmlOfEntries(entries)],
      [OWN_TYPE, ownTextOf(entries)],
    ]);
  }
  const { id, part, anchor, head } = state;
  if (anchor === head || !replica.outline.has(keyOf(id))) return undefined;
  const text = replica.outline.richText(keyOf(id), part);
  const slice = sliceOfText(text, Math.min(anchor, head), Math.max(anchor, head));
  return new Map([
    ["text/plain", plainText(slice)],
    ["text/html", htmlOfRichText(slice).replaceAll("\n", "<br>")],
    [OWN_TYPE, ownTextOfLine(slice)],
  ]);
}
