import type * as Y from "yjs";
import type { Layout } from "./layout.ts";
import { completedAtOf, layoutOf, noteHtmlOf } from "./node-reader.ts";
import type { ContentEdit } from "./node-writer.ts";
import { htmlOfRichText, richTextOfHtml } from "./text/html.ts";
import { draftOfUpdatedName } from "./text/name.ts";
import { richTextOfNote } from "./text/note.ts";
import { htmlOfYText } from "./text/y-text.ts";

/** An update of a node as the API gives it; what is absent stays. */
export interface NodePatch {
  /** Markdown with a prefix. Equal to the stored HTML (or to `base`) it changes nothing at all. */
  readonly name?: string | undefined;
  /** The HTML that `name` was derived from: what others wrote since then stays. */
  readonly base?: string | undefined;
  /** `null` and `""` clear the note. */
  readonly note?: string | null | undefined;
  /** Beats the prefix of the name. */
  readonly layout?: Layout | undefined;
  /** Beats the prefix of the name. */
  readonly completed?: boolean | undefined;
}

/** What a patch changes in a node as it is now; undefined when it changes nothing. */
export function editOf(text: Y.Text, patch: NodePatch): ContentEdit | undefined {
  const html = htmlOfYText(text);
  const base = patch.base ?? html;
  const draft =
    patch.name === undefined || patch.name === html || patch.name === base
      ? undefined
      : draftOfUpdatedName(patch.name, layoutOf(text), patch.layout);
  const name = draft === undefined || htmlOfRichText(draft.text) === base ? undefined : draft.text;
  const note = patch.note === undefined ? undefined : richTextOfNote(patch.note ?? "");
  const layout = patch.layout ?? draft?.layout;
  const completed = patch.completed ?? draft?.completed;

  const changesNote = note !== undefined && htmlOfRichText(note) !== (noteHtmlOf(text) ?? "");
  const changesLayout = layout !== undefined && layout !== layoutOf(text);
  const changesCompletion = completed !== undefined && completed !== (completedAtOf(text) !== null);
  if (name === undefined && !changesNote && !changesLayout && !changesCompletion) return undefined;
  return {
    name,
    nameBase: base === html ? undefined : richTextOfHtml(base),
    note: changesNote ? note : undefined,
    layout: changesLayout ? layout : undefined,
    completed: changesCompletion ? completed : undefined,
  };
}
