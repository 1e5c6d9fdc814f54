import type { NodeKey } from "../../../src/core/node-key.ts";
import { DEFAULT_LAYOUT } from "../../../src/core/node/layout.ts";
import { cleanText, tabsOfName } from "../../../src/core/text/clean-text.ts";
import { nodeOfHref } from "../../../src/core/text/node-link.ts";
import { allowedHref } from "../../../src/core/text/href.ts";
import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import { withoutEnd } from "../../../src/core/text/without-end.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { linesOfName } from "../../../src/core/text/line-break.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import { isDone } from "../commands/outcome.ts";
import { countOf } from "../page/status-words.ts";
import { type CommandTarget } from "../commands/command.ts";
import type { RowDestination } from "../commands/indent-commands.ts";
import { targetOf } from "../commands/target.ts";
import type { FocusState } from "../outline/focus/focus.ts";
import { factsOf, isEmptyLine } from "../outline/rows/node-facts.ts";
import { ownHash } from "../outline/rows/own-hash.ts";
import { textOfNode } from "../outline/focus/text-of-node.ts";
import { aboveRow, belowRow, keyOf, type RowId } from "../outline/rows/row-id.ts";
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
  readonly id: RowId;
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
  const { id, part } = caret;
  const at = caret.at === "end" ? (edits.text(keyOf(id), part)?.length ?? 0) : caret.at;
  if (place.takesCaret) workspace.focus.caret(id, at, part);
  return { ...place, at: { kind: "text", id, part, anchor: at, head: at } };
}

function placeNow({ focus }: Workspace): PastePlace {
  return { at: focus.state.get(), takesCaret: true };
}

/** Answers what is behind it. */
function put(workspace: Workspace, given: Pasted, target: CommandTarget): Caret | undefined {
  const [id] = target.ids;
  if (id === undefined || given.kind === "nothing") return undefined;
  const isWritten = target.text !== undefined && !makesRoom(workspace, id);
  const pasted = isWritten ? withinLine(given) : given;
  const meant = pasted.kind === "inline" ? putAddress(workspace, target, pasted) : undefined;
  if (meant !== undefined) return meant;
  if (target.text !== undefined && (pasted.kind === "inline" || takesLines(workspace, target))) {
    const text =
      pasted.kind === "inline" ? pasted.text : [{ insert: textOfLines(pasted, target.text.part) }];
    return typeText(workspace, id, target.text, text);
  }
  const entries = pasted.kind === "lines" ? pasted.entries : lineOf(pasted.text);
  return addLines(workspace, target, entries);
}

type Something = Exclude<Pasted, { kind: "nothing" }>;

/** Of a page's heading alone only the words are for a line that is written. */
function withinLine(pasted: Something): Something {
  if (pasted.kind !== "lines" || pasted.plain === undefined) return pasted;
  const [{ name, layout } = {}, ...more] = pasted.entries;
  const isHeading = name !== undefined && more.length === 0 && /^h\d$/.test(layout ?? "");
  return isHeading ? { kind: "inline", text: richTextOfHtml(name) } : pasted;
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
      ? { kind: "inline", text: [{ insert: text }], isLiteral: true }
      : { kind: "lines", entries: literalEntries(text) },
    place,
  );
}

/** Notes and code have lines themselves. */
function takesLines(workspace: Workspace, target: CommandTarget): boolean {
  return target.text?.part === "note" || isInCode(workspace, target);
}

function isInCode({ replica }: Workspace, { keys: [key], text }: CommandTarget): boolean {
  if (text?.part !== "name" || key === undefined) return false;
  return factsOf(replica.outline, key).layout === "code-block";
}

type TextTarget = NonNullable<CommandTarget["text"]>;

function typeText(
  workspace: Workspace,
  id: RowId,
  target: TextTarget,
  text: RichText,
): Caret | undefined {
  const { edits, outline } = workspace.replica;
  const { part, from, to } = target;
  const key = keyOf(id);
  const tabs = part === "name" ? tabsOfName(factsOf(outline, key).layout) : undefined;
  if (to > from) edits.type(key, part, { at: from, remove: to - from, insert: "" });
  const isFormatted = text.some(({ attributes }) => attributes !== undefined);
  let at = from;
  for (const { insert: raw, attributes } of text) {
    // As it is written: what is left out moves what comes behind it.
    const insert = cleanText(raw, tabs);
    const formats = attributes ?? (isFormatted ? {} : undefined);
    const edit = { at, remove: 0, insert, ...(formats !== undefined && { formats }) };
    if (!isDone(workspace, edits.type(key, part, edit))) return undefined;
    at += insert.length;
  }
  return { id, at, part };
}

/** Lines go below the line that is written; one that says nothing makes room for them. */
function addLines(
  workspace: Workspace,
  { ids, text }: CommandTarget,
  entries: readonly OutlineEntry[],
): Caret | undefined {
  const { replica, notices } = workspace;
  const { edits, outline } = replica;
  const row = ids.at(-1);
  // Nothing but blank lines takes no line's place.
  if (row === undefined || entries.length === 0) return undefined;
  const last = keyOf(row);
  if (text !== undefined && text.to > text.from) {
    edits.type(last, text.part, { at: text.from, remove: text.to - text.from, insert: "" });
  }
  const { parent, position } = placeBehind(workspace, row, text !== undefined);
  const made = edits.insert(entries, { parent: keyOf(parent), position });
  if (!isDone(workspace, made)) return undefined;
  if (text !== undefined && makesRoom(workspace, row)) edits.trash([last]);
  const end = made.keys.at(-1);
  notices.announce(`Pasted ${countOf(entries.length, "line")}`);
  return end && { id: belowRow(outline, parent, end), at: "end", part: "name" };
}

/** A line that says nothing makes room; the title of what is looked into does not. */
function makesRoom({ replica, rows }: Workspace, id: RowId): boolean {
  return id !== rows.zoom.get() && isEmptyLine(replica, keyOf(id));
}

/** An address that means more than its letters; undefined where it is a text like any other. */
function putAddress(
  workspace: Workspace,
  target: CommandTarget,
  { text, isLiteral = false }: Extract<Pasted, { kind: "inline" }>,
): Caret | undefined {
  if (isLiteral || isInCode(workspace, target)) return undefined;
  return addMirror(workspace, target, text) ?? linkSelected(workspace, target, text);
}

/** An address over selected words links them; over another address it takes the place of that. */
function linkSelected(
  workspace: Workspace,
  { ids: [id], text }: CommandTarget,
  pasted: RichText,
): Caret | undefined {
  const href = pasted.length === 1 ? addressOf(plainText(pasted)) : undefined;
  if (id === undefined || text === undefined || text.from === text.to) return undefined;
  const { part, from, to } = text;
  const selected = textOfNode(workspace.replica, keyOf(id), part).slice(from, to);
  if (href === undefined || addressOf(selected) !== undefined) return undefined;
  isDone(workspace, workspace.replica.edits.format(keyOf(id), part, { from, to }, "a", href));
  return { id, at: to, part };
}

/** The address that a text is; undefined for one that goes on behind it. */
function addressOf(text: string): string | undefined {
  const href = allowedHref(text);
  return href === undefined || /\s/.test(href) ? undefined : href;
}

/** What is nothing but a link to a line is that line once more, where it would be alone in its line. */
function addMirror(
  workspace: Workspace,
  { ids, text }: CommandTarget,
  pasted: RichText,
): Caret | undefined {
  const { edits, outline } = workspace.replica;
  const row = ids.at(-1);
  const linked = linkedLine(pasted);
  if (row === undefined || linked === undefined || !outline.has(linked)) return undefined;
  if (text !== undefined && (text.part === "note" || !makesRoom(workspace, row))) return undefined;
  const { parent, position } = placeBehind(workspace, row, false);
  const made = edits.mirror(linked, { parent: keyOf(parent), position });
  // In that line itself there can be a link only.
  if (made.kind === "invalid_parent" || !isDone(workspace, made)) return undefined;
  if (text !== undefined) edits.trash([keyOf(row)]);
  const said = "Pasted as a mirror of the line; within a text it is a link";
  workspace.notices.show(said);
  return { id: belowRow(outline, parent, made.key), at: "end", part: "name" };
}

function linkedLine(text: RichText): NodeKey | undefined {
  const [run] = text;
  if (run === undefined || text.length > 1) return undefined;
  const { a: href = run.insert.trim() } = run.attributes ?? {};
  return typeof href === "string" ? nodeOfHref(ownHash(href) ?? "") : undefined;
}

function placeBehind({ replica, rows }: Workspace, id: RowId, isText: boolean): RowDestination {
  const row = rows.rows.get()[rows.indexOf(id)];
  const parent = aboveRow(replica.outline, id);
  const isOpen = row === undefined || (isText && row.isExpanded);
  return isOpen || parent === undefined
    ? { parent: id, position: "top" }
    : { parent, position: { after: keyOf(id) } };
}

/** A text as a line of its own. */
function lineOf(text: RichText): readonly OutlineEntry[] {
  if (plainText(text).trim() === "") return [];
  return [{ depth: 0, name: htmlOfRichText(text), layout: DEFAULT_LAYOUT }];
}

/** The lines as they were written; those of our own format with their notes below them. */
function textOfLines(
  { entries, plain }: Extract<Pasted, { kind: "lines" }>,
  part: TextPart,
): string {
  if (plain !== undefined) {
    const lines = withLineFeeds(plain);
    return part === "note" ? withIndentation(lines) : lines;
  }
  return entries
    .flatMap(({ depth, name, note = "", layout }) => [
      INDENTATION.repeat(depth) + plainText(richTextOfHtml(name, linesOfName(layout))),
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

/** In a note a tab would become a single space. */
function withIndentation(text: string): string {
  return text.replaceAll(/^\t+/gm, (tabs) => INDENTATION.repeat(tabs.length));
}
