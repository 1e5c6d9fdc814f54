import type { Layout } from "../node/layout.ts";
import { cleanText } from "./clean-text.ts";
import { richTextOfLiteral } from "./html.ts";
import { withLineBreaks } from "./line-break.ts";
import { markdownInSteps } from "./markdown.ts";
import { joinedLines, type NamePart, partsOfName } from "./name-parts.ts";
import { type RichText, RunBuilder, trimRichText } from "./rich-text.ts";

/** A node's text as the API's `name` says it. What is absent was not said. */
export interface NameDraft {
  readonly text: RichText;
  readonly layout?: Layout;
  readonly completed?: boolean;
}

/** Each with the space that it needs; `- [x]` before `-`, since both match. */
const PREFIXES: readonly { readonly pattern: RegExp; readonly says: Omit<NameDraft, "text"> }[] = [
  { pattern: /^# /, says: { layout: "h1" } },
  { pattern: /^## /, says: { layout: "h2" } },
  { pattern: /^### /, says: { layout: "h3" } },
  { pattern: /^- \[ \] /, says: { layout: "todo", completed: false } },
  { pattern: /^- \[[xX]\] /, says: { layout: "todo", completed: true } },
  { pattern: /^- /, says: { layout: "bullets" } },
  { pattern: /^> /, says: { layout: "quote-block" } },
];
const DEEP_HEADING = /^#{4,} /;

/**
 * What a create makes of a `name`: the first draft is the node, the others its children in order. A
 * blank line separates, a single line break is a space, fenced code is a draft of its own. `layout`
 * is for the first and beats its prefix, which is removed all the same; with `code-block` the whole
 * name is the first.
 */
export function draftsOfName(
  name: string,
  layout: Layout | undefined,
): readonly [NameDraft, ...NameDraft[]] {
  const drafts = [...draftsInSteps(name, layout)].filter((draft) => draft !== undefined);
  const [first = { text: [] }, ...others] = drafts;
  return [first, ...others];
}

/** How many drafts there are: one at least. */
export function countOfDrafts(name: string, layout: Layout | undefined): number {
  return layout === "code-block" ? 1 : Math.max(1, partsOfName(cleanText(name, "kept")).length);
}

/** The same drafts, the first one first, in steps of a few milliseconds: undefined when one is over. */
export function* draftsInSteps(
  name: string,
  layout: Layout | undefined,
): Generator<NameDraft | undefined, void> {
  const text = cleanText(name, "kept");
  yield undefined;
  const parts = partsOfName(text);
  yield undefined;
  if (layout === "code-block") {
    yield draftOfWhole(text, parts, layout);
    return;
  }
  const [first = { kind: "line", line: "" }, ...others] = parts;
  yield* finished(draftOfPart(first, layout));
  for (const part of others) yield* finished(draftOfPart(part, undefined));
}

/** What work comes to, after its steps. */
function* finished<T>(work: Generator<void, T>): Generator<T | undefined, void> {
  for (;;) {
    const step = work.next();
    yield step.done === true ? step.value : undefined;
    if (step.done === true) return;
  }
}

/**
 * What an update makes of a `name`: one node, its lines joined with spaces. In a code block, present
 * or asked for, the text is literal and keeps its line breaks. A fence around the whole name is
 * removed and makes a code block, unless another layout is asked for. In steps of a few milliseconds.
 */
export function* updatedNameInSteps(
  name: string,
  currentLayout: Layout,
  explicit: Layout | undefined,
): Generator<void, NameDraft> {
  const text = cleanText(name, "kept");
  yield;
  const parts = partsOfName(text);
  yield;
  const [first] = parts;
  if (first?.kind === "code" && parts.length === 1) return yield* draftOfPart(first, explicit);
  if ((explicit ?? currentLayout) === "code-block") return draftOfWhole(text, parts, explicit);
  return yield* draftOfPart({ kind: "line", line: joinedLines(text.split("\n")) }, explicit);
}

/** A whole name as code. */
function draftOfWhole(
  text: string,
  parts: readonly NamePart[],
  layout: Layout | undefined,
): NameDraft {
  const [first] = parts;
  const code = first?.kind === "code" && parts.length === 1 ? first.code : text;
  return withLayout({ text: richTextOfLiteral(trimmedCode(code)) }, layout);
}

function* draftOfPart(part: NamePart, layout: Layout | undefined): Generator<void, NameDraft> {
  if (part.kind === "line") return withLayout(yield* draftOfLine(part.line), layout);
  const code = trimmedCode(part.code);
  const isCode = layout === undefined || layout === "code-block";
  const text = richTextOfLiteral(isCode ? code : joinedLines(code.split("\n")).trim());
  return withLayout({ text, layout: "code-block" }, layout);
}

function* draftOfLine(line: string): Generator<void, NameDraft> {
  for (const { pattern, says } of PREFIXES) {
    if (pattern.test(line)) return { text: yield* textOf(line.replace(pattern, "")), ...says };
  }
  if (!DEEP_HEADING.test(line)) return { text: yield* textOf(line) };
  return { text: inBold(yield* textOf(line.replace(DEEP_HEADING, ""))) };
}

function* textOf(line: string): Generator<void, RichText> {
  return trimRichText(yield* markdownInSteps(line.trim()));
}

function inBold(text: RichText): RichText {
  const runs = new RunBuilder();
  for (const run of text) runs.add(run.insert, { ...run.attributes, b: true });
  return runs.finish();
}

function withLayout(draft: NameDraft, layout: Layout | undefined): NameDraft {
  return layout === undefined ? draft : { ...draft, layout };
}

/** Code keeps its indentation, and loses blank lines around it and space at its end. */
function trimmedCode(code: string): string {
  const lines = withLineBreaks(code).trimEnd().split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n");
}
