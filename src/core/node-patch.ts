import type * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { inOneGo } from "./in-one-go.ts";
import type { Layout } from "./layout.ts";
import { layoutOf, noteHtmlOf } from "./node-reader.ts";
import { noteToWrite, type ContentEdit } from "./node-writer.ts";
import { htmlInSteps, htmlOfRichText } from "./text/html.ts";
import { updatedNameInSteps, type NameDraft } from "./text/name.ts";
import { htmlOfYText, sidesInSteps } from "./text/y-text.ts";

/** What the `name` of an update means, and the HTML of that. */
export interface ParsedName {
  readonly draft: NameDraft;
  readonly html: string;
}

/** An update of a node as the API gives it; what is absent stays. */
export interface NodePatch {
  /** Markdown with a prefix. Equal to the stored HTML (or to `base`) it changes nothing at all. */
  readonly name?: string | undefined;
  /** What `name` means, where that is known already. */
  readonly parsed?: ParsedName | undefined;
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
  return inOneGo(editInSteps(text, patch));
}

/** The same with a rest after each step that takes long when texts are long. The node must not change. */
export function* editInSteps(
  text: Y.Text,
  patch: NodePatch,
): Generator<void, ContentEdit | undefined> {
  const html = htmlOfYText(text);
  const base = patch.base ?? html;
  const isSaid = patch.name !== undefined && patch.name !== html && patch.name !== base;
  const parsed = isSaid
    ? (patch.parsed ?? (yield* parsedInSteps(patch.name, layoutOf(text), patch.layout)))
    : undefined;
  const name = parsed === undefined || parsed.html === base ? undefined : parsed.draft.text;
  yield;
  const note = patch.note === undefined ? undefined : yield* htmlInSteps(patch.note ?? "");
  const layout = patch.layout ?? parsed?.draft.layout;
  const completed = patch.completed ?? parsed?.draft.completed;
  yield;

  const changesNote = note !== undefined && htmlOfRichText(note) !== (noteHtmlOf(text) ?? "");
  const changesLayout = layout !== undefined && layout !== layoutOf(text);
  const changesCompletion = completed !== undefined && completed !== (completedAtOf(text) !== null);
  if (name === undefined && !changesNote && !changesLayout && !changesCompletion) return undefined;
  yield;
  const nameBase = base === html ? undefined : yield* htmlInSteps(base);
  const noteText = changesNote ? noteToWrite(text) : undefined;
  return {
    name,
    nameBase,
    nameSides: name && (yield* sidesInSteps(text, name, nameBase)),
    note: changesNote ? note : undefined,
    noteSides: note && noteText && (yield* sidesInSteps(noteText, note)),
    layout: changesLayout ? layout : undefined,
    completed: changesCompletion ? completed : undefined,
  };
}

/** Finds out what the `name` of an update means, with a rest after each step. */
export function* parsedInSteps(
  name: string,
  currentLayout: Layout,
  explicit: Layout | undefined,
): Generator<void, ParsedName> {
  const draft = yield* updatedNameInSteps(name, currentLayout, explicit);
  yield;
  return { draft, html: htmlOfRichText(draft.text) };
}
