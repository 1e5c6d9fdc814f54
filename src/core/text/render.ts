import { timeTag } from "./dates.ts";
import { entityText, isPlainEntity } from "./entity.ts";
import { allowedHref } from "./href.ts";
import { coloredClass } from "./open-elements.ts";
import type { RichText, Run } from "./rich-text.ts";

/** What is written before and behind the text of a format. */
export interface Markup {
  readonly open: string;
  readonly close: string;
}

const NO_MARKUP: readonly Markup[] = [];

/**
 * Writes runs one after the other, each inside its markup, outermost first. Markup that neighbours
 * share from the outside in is opened once.
 */
export function renderRuns(
  text: RichText,
  markupOf: (run: Run) => readonly Markup[],
  charactersOf: (run: Run) => string,
): string {
  let written = "";
  let open = NO_MARKUP;
  for (const run of text) {
    const wanted = markupOf(run);
    let shared = 0;
    while (shared < open.length && isSame(open[shared], wanted[shared])) shared += 1;
    written += closed(open, shared);
    for (let index = shared; index < wanted.length; index += 1) written += wanted[index]?.open;
    written += charactersOf(run);
    open = wanted;
  }
  return written + closed(open, 0);
}

function isSame(a: Markup | undefined, b: Markup | undefined): boolean {
  return a?.open === b?.open && a?.close === b?.close;
}

function closed(open: readonly Markup[], from: number): string {
  let written = "";
  for (let index = open.length - 1; index >= from; index -= 1) written += open[index]?.close;
  return written;
}

/** `& < >` as entities; both kinds of quotes stay. */
export function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const SIMPLE_TAGS = ["b", "i", "s", "u", "code"].map((name) => ({
  key: name,
  markup: { open: `<${name}>`, close: `</${name}>` },
}));

/** The tags of a run in HTML, outermost first, of those formats whose value is allowed. */
export function tagsOfRun({ attributes }: Run): readonly Markup[] {
  if (attributes === undefined) return NO_MARKUP;
  const tags: Markup[] = [];
  const { a, span, mark, d } = attributes;
  if (typeof a === "string" && allowedHref(a) === a) {
    tags.push({ open: `<a href="${escapeText(a).replaceAll('"', "&quot;")}">`, close: "</a>" });
  }
  if (typeof span === "string" && coloredClass(span) === span) {
    tags.push({ open: `<span class="${span}">`, close: "</span>" });
  }
  if (mark === "") tags.push({ open: "<mark>", close: "</mark>" });
  else if (typeof mark === "string" && coloredClass(mark) === mark) {
    tags.push({ open: `<mark class="${mark}">`, close: "</mark>" });
  }
  const time = typeof d === "string" ? timeTag(d) : undefined;
  if (time !== undefined) tags.push({ open: time, close: "</time>" });
  for (const { key, markup } of SIMPLE_TAGS) {
    if (attributes[key] === true) tags.push(markup);
  }
  return tags;
}

/** The characters of a run; an entity as it was written, wherever the run still has its characters. */
export function charactersOfRun(
  { insert, attributes }: Run,
  write: (text: string) => string,
): string {
  const entity = attributes?.["e"];
  const decoded =
    typeof entity !== "string" || isPlainEntity(entity) ? undefined : entityText(entity);
  if (typeof entity !== "string" || decoded === undefined) return write(insert);
  return insert.split(decoded).map(write).join(entity);
}
