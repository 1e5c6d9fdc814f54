import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { plainText, type RichText, RunBuilder } from "../../../src/core/text/rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import { keyOf } from "../outline/row-id.ts";
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
  const text = replica.edits.text(keyOf(id), part);
  if (anchor === head || text === undefined) return undefined;
  const slice = sliceOf(readRichText(text), Math.min(anchor, head), Math.max(anchor, head));
  return new Map([
    ["text/plain", plainText(slice)],
    ["text/html", htmlOfRichText(slice).replaceAll("\n", "<br>")],
    [OWN_TYPE, ownTextOfLine(slice)],
  ]);
}

function sliceOf(text: RichText, from: number, to: number): RichText {
  const runs = new RunBuilder();
  let at = 0;
  for (const { insert, attributes } of text) {
    runs.add(insert.slice(Math.max(0, from - at), Math.max(0, to - at)), attributes);
    at += insert.length;
  }
  return runs.finish();
}
