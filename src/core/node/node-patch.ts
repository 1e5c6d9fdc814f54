import type * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { inOneGo } from "../in-one-go.ts";
import type { Layout } from "./layout.ts";
import { layoutOf, nameHtmlOf, noteHtmlOf, richTextOfNotes } from "./node-reader.ts";
import type { ContentEdit, TextChange } from "./node-writer.ts";
import { notesSaid } from "./notes-said.ts";
import { htmlOfRichText } from "../text/html-of-rich-text.ts";
import { htmlInSteps } from "../text/html.ts";
import type { Lines } from "../text/line-break.ts";
import { type NameDraft, updatedNameInSteps } from "../text/name.ts";
import type { RichText } from "../text/rich-text.ts";
import { sidesInSteps } from "../text/write-rich-text.ts";
import { readRichText } from "../text/y-text.ts";

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
  const { draft, change: name } = yield* wantedName(text, patch);
  const note = yield* wantedNote(text, patch);
  const layout = patch.layout ?? draft?.layout;
  const completed = patch.completed ?? draft?.completed;
  yield;

  const changesLayout = layout !== undefined && layout !== layoutOf(text);
  const changesCompletion = completed !== undefined && completed !== (completedAtOf(text) !== null);
  const changesText = name !== undefined || note !== undefined;
  if (!changesText && !changesLayout && !changesCompletion) return undefined;
  yield;
  return {
    name: name && (yield* changeOf([text], name, () => readRichText(text), linesOfBase(text))),
    note: note && (yield* changeOf(notesSaid(text), note, () => richTextOfNotes(text))),
    layout: changesLayout ? layout : undefined,
    completed: changesCompletion ? completed : undefined,
  };
}

/** A text that is not what it was made from. */
interface Wanted {
  readonly text: RichText;
  /** HTML; undefined for what is there. */
  readonly base: string | undefined;
}

/** What a patch makes of the name, which is read only when the patch has one. */
function* wantedName(
  text: Y.Text,
  { name, base, layout }: NodePatch,
): Generator<void, { readonly draft?: NameDraft; readonly change?: Wanted }> {
  if (name === undefined || name === base) return {};
  const html = nameHtmlOf(text);
  yield;
  if (name === html) return {};
  const draft = yield* updatedNameInSteps(name, layoutOf(text), layout);
  yield;
  const isSame = htmlOfRichText(draft.text, "kept") === (base ?? html);
  yield;
  return isSame ? { draft } : { draft, change: { text: draft.text, base: otherThan(html, base) } };
}

/** What a patch makes of the note, which is read only when the patch has one. */
function* wantedNote(
  text: Y.Text,
  { note, noteBase }: NodePatch,
): Generator<void, Wanted | undefined> {
  if (note === undefined) return undefined;
  const html = noteHtmlOf(text) ?? "";
  yield;
  const base = noteBase === undefined ? html : (noteBase ?? "");
  if ((note ?? "") === base) return undefined;
  const wanted = yield* htmlInSteps(note ?? "");
  return htmlOfRichText(wanted) === base
    ? undefined
    : { text: wanted, base: otherThan(html, base) };
}

function otherThan(html: string, base: string | undefined): string | undefined {
  return base === html ? undefined : base;
}

/** How the HTML of the name as it is now was read. */
function linesOfBase(text: Y.Text): Lines {
  return layoutOf(text) === "code-block" ? "code" : "kept";
}

/** @param there what the texts say */
function* changeOf(
  texts: readonly Y.Text[],
  { text: wanted, base }: Wanted,
  there: () => RichText,
  lines?: Lines,
): Generator<void, TextChange> {
  const from = base === undefined ? there() : yield* htmlInSteps(base, lines);
  return { wanted, base: from, sides: yield* sidesInSteps(texts, wanted, from) };
}
