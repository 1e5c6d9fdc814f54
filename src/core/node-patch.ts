import type * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { inOneGo } from "./in-one-go.ts";
import type { Layout } from "./layout.ts";
import { layoutOf, noteHtmlOf, richTextOfNotes } from "./node-reader.ts";
import type { ContentEdit, TextChange } from "./node-writer.ts";
import { notesSaid } from "./notes-said.ts";
import { htmlInSteps, htmlOfRichText } from "./text/html.ts";
import { updatedNameInSteps } from "./text/name.ts";
import type { RichText } from "./text/rich-text.ts";
import { htmlOfYText, readRichText, sidesInSteps } from "./text/y-text.ts";

/** An update of a node as the API gives it; what is absent stays. */
export interface NodePatch {
  /** Markdown with a prefix. Equal to the stored HTML (or to `base`) it changes nothing at all. */
  readonly name?: string | undefined;
  /** HTML, any text, that `name` was made from: only the difference is written. */
  readonly base?: string | undefined;
  /** `null` and `""` clear the note. */
  readonly note?: string | null | undefined;
  /** The same for the note; `null` and `""` for none. */
  readonly noteBase?: string | null | undefined;
  /** Beats the prefix of the name. */
  readonly layout?: Layout | undefined;
  /** Beats the prefix of the name. */
  readonly completed?: boolean | undefined;
}

/** What a patch changes in a node as it is now; undefined when it changes nothing. */
export function editOf(text: Y.Text, patch: NodePatch): ContentEdit | undefined {
  return inOneGo(editInSteps(text, patch));
}

/** The same with a rest after each step that takes long when texts are long. The node must not change. */
export function* editInSteps(
  text: Y.Text,
  patch: NodePatch,
): Generator<void, ContentEdit | undefined> {
  const html = htmlOfYText(text);
  const base = patch.base ?? html;
  const draft =
    patch.name === undefined || patch.name === html || patch.name === base
      ? undefined
      : yield* updatedNameInSteps(patch.name, layoutOf(text), patch.layout);
  yield;
  const name = draft === undefined || htmlOfRichText(draft.text) === base ? undefined : draft.text;
  yield;
  const noteHtml = noteHtmlOf(text) ?? "";
  const noteBase = patch.noteBase === undefined ? noteHtml : (patch.noteBase ?? "");
  const note = yield* noteOf(patch, noteBase);
  const layout = patch.layout ?? draft?.layout;
  const completed = patch.completed ?? draft?.completed;
  yield;

  const changesLayout = layout !== undefined && layout !== layoutOf(text);
  const changesCompletion = completed !== undefined && completed !== (completedAtOf(text) !== null);
  const changesText = name !== undefined || note !== undefined;
  if (!changesText && !changesLayout && !changesCompletion) return undefined;
  yield;
  return {
    name: name && (yield* changeOf(name, [text], base === html ? readRichText(text) : base)),
    note:
      note &&
      (yield* changeOf(
        note,
        notesSaid(text),
        noteBase === noteHtml ? richTextOfNotes(text) : noteBase,
      )),
    layout: changesLayout ? layout : undefined,
    completed: changesCompletion ? completed : undefined,
  };
}

/** The note that a patch asks for; undefined when that is its base. */
function* noteOf({ note }: NodePatch, base: string): Generator<void, RichText | undefined> {
  if (note === undefined || (note ?? "") === base) return undefined;
  const wanted = yield* htmlInSteps(note ?? "");
  return htmlOfRichText(wanted) === base ? undefined : wanted;
}

/** @param base HTML when it is not what is there */
function* changeOf(
  wanted: RichText,
  texts: readonly Y.Text[],
  base: RichText | string,
): Generator<void, TextChange> {
  const from = typeof base === "string" ? yield* htmlInSteps(base) : base;
  return { wanted, base: from, sides: yield* sidesInSteps(texts, wanted, from) };
}
