import { DEFAULT_LAYOUT } from "../../../src/core/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/outline.ts";
import { cleanText } from "../../../src/core/text/clean-text.ts";
import { allowedHref } from "../../../src/core/text/href.ts";
import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import { withoutEnd } from "../../../src/core/text/without-end.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { htmlOfRichText, richTextOfHtml } from "../../../src/core/text/html.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import { isDone, linesInWords } from "../commands/outcome.ts";
import { type CommandTarget } from "../commands/command.ts";
import { targetOf } from "../commands/target.ts";
import type { FocusState } from "../outline/focus.ts";
import { factsOf } from "../outline/node-facts.ts";
import type { Workspace } from "../state/workspace.ts";
import { literalEntries } from "./literal-entries.ts";
import type { Pasted } from "./pasted.ts";

/** Where a paste goes: where the caret or the selection is, unless that was found out earlier. */
export interface PastePlace {
  readonly at: FocusState;
  /** Whether the caret goes behind what is pasted; else it stays where the person has it now. */
  readonly takesCaret: boolean;
}

/** One level, in what has lines itself. */
const INDENTATION = "  ";

interface Caret {
  readonly key: NodeKey;
  readonly at: number | "end";
  readonly part: TextPart;
}

/** Puts in what was pasted, as one step of the history. Answers the place behind it. */
export function paste(
  workspace: Workspace,
  pasted: Pasted,
  place: PastePlace = placeNow(workspace),
): PastePlace {
  const { edits, history } = workspace.replica;
  history.seal();
  const caret = history.step(() => put(workspace, pasted, targetOf(place.at)));
  history.seal();
  if (caret === undefined) return place;
  const { key, part } = caret;
  const at = caret.at === "end" ? (edits.text(key, part)?.length ?? 0) : caret.at;
  if (place.takesCaret) workspace.focus.caret(key, at, part);
  return { ...place, at: { kind: "text", key, part, anchor: at, head: at } };
}

function placeNow({ focus }: Workspace): PastePlace {
  return { at: focus.state.get(), takesCaret: true };
}

/** Answers what is behind it. */
function put(workspace: Workspace, pasted: Pasted, target: CommandTarget): Caret | undefined {
  const [key] = target.keys;
  if (key === undefined || pasted.kind === "nothing") return undefined;
  if (target.text !== undefined && (pasted.kind === "inline" || takesLines(workspace, target))) {
    const text = pasted.kind === "inline" ? pasted.text : [{ insert: textOfLines(pasted) }];
    return typeText(workspace, key, target.text, text);
  }
  const entries = pasted.kind === "lines" ? pasted.entries : lineOf(pasted.text);
  return addLines(workspace, target, entries);
}

/** Puts a text in as it is: a line into the line that is written, several as lines of their own. */
export function pasteLiterally(
  workspace: Workspace,
  source: string,
  place: PastePlace = placeNow(workspace),
): PastePlace {
  const text = withLineFeeds(source);
  const target = targetOf(place.at);
  const isInline = !text.includes("\n") || takesLines(workspace, target);
  if (text === "") return place;
  return paste(
    workspace,
    isInline
      ? { kind: "inline", text: [{ insert: text }] }
      : { kind: "lines", entries: literalEntries(text) },
    place,
  );
}

/** Notes and code have lines themselves. */
function takesLines({ replica }: Workspace, { keys: [key], text }: CommandTarget): boolean {
  if (text === undefined || key === undefined) return false;
  return text.part === "note" || factsOf(replica.outline, key).layout === "code-block";
}

type TextTarget = NonNullable<CommandTarget["text"]>;

function typeText(
  workspace: Workspace,
  key: NodeKey,
  target: TextTarget,
  text: RichText,
): Caret | undefined {
  const { edits } = workspace.replica;
  const { part, from, to } = target;
  const address = allowedHref(plainText(text));
  if (to > from && address !== undefined && text.length === 1) {
    // An address over selected words links them.
    isDone(workspace, edits.format(key, part, { from, to }, "a", address));
    return { key, at: to, part };
  }
  if (to > from) edits.type(key, part, { at: from, remove: to - from, insert: "" });
  const isFormatted = text.some(({ attributes }) => attributes !== undefined);
  let at = from;
  for (const { insert: raw, attributes } of text) {
    // As it is written: what is left out moves what comes behind it.
    const insert = cleanText(raw);
    const formats = attributes ?? (isFormatted ? {} : undefined);
    const edit = { at, remove: 0, insert, ...(formats !== undefined && { formats }) };
    if (!isDone(workspace, edits.type(key, part, edit))) return undefined;
    at += insert.length;
  }
  return { key, at, part };
}

/** Lines go below the line that is written; one that says nothing makes room for them. */
function addLines(
  workspace: Workspace,
  { keys, text }: CommandTarget,
  entries: readonly OutlineEntry[],
): Caret | undefined {
  const { replica, rows, notices } = workspace;
  const { edits, outline } = replica;
  const last = keys.at(-1);
  // Nothing but blank lines takes no line's place.
  if (last === undefined || entries.length === 0) return undefined;
  if (text !== undefined && text.to > text.from) {
    edits.type(last, text.part, { at: text.from, remove: text.to - text.from, insert: "" });
  }
  const made = edits.insert(entries, placeBehind(workspace, last, text !== undefined));
  if (!isDone(workspace, made)) return undefined;
  const isEmpty =
    last !== rows.zoom.get() &&
    text !== undefined &&
    (edits.text(last, "name")?.length ?? 0) === 0 &&
    !factsOf(outline, last).hasNote &&
    outline.childCount(last) === 0;
  if (isEmpty) edits.trash([last]);
  const end = made.keys.at(-1);
  notices.announce(`Pasted ${linesInWords(entries.length)}`);
  return end === undefined ? undefined : { key: end, at: "end", part: "name" };
}

function placeBehind({ replica, rows }: Workspace, key: NodeKey, isText: boolean): Destination {
  const row = rows.rows.get()[rows.indexOf(key)];
  const parent = replica.outline.node(key)?.parent;
  const isOpen = row === undefined || (isText && row.isExpanded);
  return isOpen || parent === undefined
    ? { parent: key, position: "top" }
    : { parent, position: { after: key } };
}

/** A text as a line of its own. */
function lineOf(text: RichText): readonly OutlineEntry[] {
  if (plainText(text).trim() === "") return [];
  return [{ depth: 0, name: htmlOfRichText(text), layout: DEFAULT_LAYOUT }];
}

/** The lines as they were written; those of our own format with their notes below them. */
function textOfLines({ entries, plain }: Extract<Pasted, { kind: "lines" }>): string {
  if (plain !== undefined) return withIndentation(withLineFeeds(plain));
  return entries
    .flatMap(({ depth, name, note = "" }) => [
      INDENTATION.repeat(depth) + plainText(richTextOfHtml(name)),
      ...(note === "" ? [] : plainText(richTextOfHtml(note)).split("\n")).map(
        (line) => INDENTATION.repeat(depth + 1) + line,
      ),
    ])
    .join("\n");
}

/** A text with line breaks of one kind between its lines, and none behind them. */
function withLineFeeds(text: string): string {
  return withoutEnd(text.replaceAll(/\r\n?/g, "\n"), "\n");
}

/** A tab would become a single space. */
function withIndentation(text: string): string {
  return text.replaceAll(/^\t+/gm, (tabs) => INDENTATION.repeat(tabs.length));
}
