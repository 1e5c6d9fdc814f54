import { timeTag } from "./dates.ts";
import { entityText, isPlainEntity } from "./entity.ts";
import { allowedHref } from "./href.ts";
import { coloredClass } from "./open-elements.ts";
import type { FormatValue, RichText, Run } from "./rich-text.ts";

/** What is written before and behind the text of a format. */
export interface Markup {
  readonly open: string;
  readonly close: string;
}

/** Markup with the index of the last run that it goes on to without a gap. */
interface Stretch extends Markup {
  readonly last: number;
}

const NO_MARKUP: readonly Markup[] = [];

/**
 * Writes runs one after the other, each inside its markup. What goes on in the next run stays open.
 * Of what starts at the same run the longest is outermost, and of equally long ones that which
 * `markupOf` names first; so the result depends on nothing but the runs.
 */
export function renderRuns(
  text: RichText,
  markupOf: (run: Run) => readonly Markup[],
  charactersOf: (run: Run) => string,
): string {
  const stretches = stretchesOf(text.map(markupOf));
  const open: Stretch[] = [];
  let written = "";
  for (const [index, run] of text.entries()) {
    written += closeUntil(open, keptAt(open, index));
    const wanted = stretches[index] ?? [];
    if (wanted.length > open.length) {
      const opened = wanted.filter((stretch) => !open.some((other) => isSame(stretch, other)));
      opened.sort((a, b) => b.last - a.last);
      for (const stretch of opened) written += stretch.open;
      open.push(...opened);
    }
    written += charactersOf(run);
  }
  return written + closeUntil(open, 0);
}

/** For each run its markup, with how far it goes. */
function stretchesOf(markup: readonly (readonly Markup[])[]): readonly (readonly Stretch[])[] {
  const stretches: (readonly Stretch[])[] = [];
  let next: readonly Stretch[] = [];
  for (let index = markup.length - 1; index >= 0; index -= 1) {
    const following = next;
    next = (markup[index] ?? NO_MARKUP).map(({ open, close }) => {
      const same = following.find((other) => other.open === open && other.close === close);
      return { open, close, last: same?.last ?? index };
    });
    stretches[index] = next;
  }
  return stretches;
}

/** How many of the open ones stay open at a run: those that end are closed with all inside them. */
function keptAt(open: readonly Stretch[], index: number): number {
  const ended = open.findIndex(({ last }) => last < index);
  return ended === -1 ? open.length : ended;
}

function closeUntil(open: Stretch[], kept: number): string {
  let written = "";
  while (open.length > kept) written += open.pop()?.close ?? "";
  return written;
}

function isSame(a: Markup, b: Markup): boolean {
  return a.open === b.open && a.close === b.close;
}

const LONG_TEXT = 10_000;

function replaced(text: string, character: string, entity: string): string {
  return text.replaceAll(character, entity);
}

/** The same in a quarter of the time where there are very many of the character. */
function replacedInLong(text: string, character: string, entity: string): string {
  return text.split(character).join(entity);
}

/** `& < >` as entities; both kinds of quotes stay. */
export function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  const write = text.length > LONG_TEXT ? replacedInLong : replaced;
  return write(write(write(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

/** The tags of a run in HTML, for those formats whose value is allowed, in the order of its keys. */
export function tagsOfRun({ attributes }: Run): readonly Markup[] {
  if (attributes === undefined) return NO_MARKUP;
  const tags: Markup[] = [];
  for (const key of Object.keys(attributes)) {
    const tag = tagOf(key, attributes[key]);
    if (tag !== undefined) tags.push(tag);
  }
  return tags;
}

function tagOf(key: string, value: FormatValue | undefined): Markup | undefined {
  switch (key) {
    case "b":
    case "i":
    case "s":
    case "u":
    case "code":
      return value === true ? { open: `<${key}>`, close: `</${key}>` } : undefined;
    case "a":
      if (typeof value !== "string" || allowedHref(value) !== value) return undefined;
      return { open: `<a href="${escapeText(value).replaceAll('"', "&quot;")}">`, close: "</a>" };
    case "d": {
      const open = typeof value === "string" ? timeTag(value) : undefined;
      return open === undefined ? undefined : { open, close: "</time>" };
    }
    case "mark":
      if (value === "") return { open: "<mark>", close: "</mark>" };
      return coloredTag("mark", value);
    case "span":
      return coloredTag("span", value);
    default:
      return undefined;
  }
}

function coloredTag(name: string, value: FormatValue | undefined): Markup | undefined {
  if (typeof value !== "string" || coloredClass(value) !== value) return undefined;
  return { open: `<${name} class="${value}">`, close: `</${name}>` };
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
