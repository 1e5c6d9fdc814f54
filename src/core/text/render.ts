import { getOrMake } from "../get-or-make.ts";
import { timeTag } from "./dates.ts";
import { entityText, isPlainEntity } from "./entity.ts";
import { allowedHref } from "./href.ts";
import { coloredClass } from "./colored-class.ts";
import type { Formats, FormatValue, RichText, Run } from "./rich-text.ts";

/** What is written before and behind the text of a format. */
export interface Markup {
  readonly open: string;
  readonly close: string;
}

/** How runs are written. */
export interface Writing {
  /** The markup of a run, outermost first where nothing else decides. */
  readonly markupOf: (run: Run) => readonly Markup[];
  /** The characters of a run. */
  readonly charactersOf: (run: Run) => string;
  /** In UTF-16 units. */
  readonly maxLength: number;
}

/** Markup that is open, with the index of the last run that it goes on to without a gap. */
interface Stretch {
  readonly markup: Markup;
  readonly last: number;
}

const NO_MARKUP: readonly Markup[] = [];

/**
 * How long a text may get by being written: `&` takes five characters, an entity that somebody wrote
 * up to forty, and one address in a few bytes of a document is written again wherever the formats
 * around it end. People's texts get nowhere near it.
 */
const MAX_GROWTH = 8;
const MAX_MARKUP = 2 ** 21;

/** UTF-16 units that may be written for a text of so many. */
export function longestWritten(length: number): number {
  return MAX_GROWTH * length + MAX_MARKUP;
}

/**
 * Writes runs one after the other, each inside its markup. What goes on in the next run stays open.
 * Of what starts at the same run the longest is outermost, and of equally long ones that which
 * `markupOf` names first; so the result depends on nothing but the runs.
 * @returns undefined when it gets too long
 */
export function renderRuns(
  text: RichText,
  { markupOf, charactersOf, maxLength }: Writing,
): string | undefined {
  const markup = sharedMarkup(text, markupOf);
  const lasts = lastsOf(markup);
  const open: Stretch[] = [];
  let written = "";
  for (const [index, run] of text.entries()) {
    written += closeUntil(open, keptAt(open, index));
    const wanted = markup[index] ?? NO_MARKUP;
    if (wanted.length > open.length) {
      const opened: Stretch[] = [];
      for (const [at, each] of wanted.entries()) {
        if (open.some((stretch) => stretch.markup === each)) continue;
        opened.push({ markup: each, last: lasts[index]?.[at] ?? index });
      }
      opened.sort((a, b) => b.last - a.last);
      for (const stretch of opened) written += stretch.markup.open;
      open.push(...opened);
    }
    written += charactersOf(run);
    if (written.length > maxLength) return undefined;
  }
  return written + closeUntil(open, 0);
}

/** The markup of each run; what is written alike is one object. */
function sharedMarkup(
  text: RichText,
  markupOf: Writing["markupOf"],
): readonly (readonly Markup[])[] {
  const all = new Map<string, Map<string, Markup>>();
  const shared = (markup: Markup): Markup => {
    const alike = getOrMake(all, markup.open, () => new Map<string, Markup>());
    return getOrMake(alike, markup.close, () => markup);
  };
  const lists = new Map<readonly Markup[], readonly Markup[]>();
  return text.map((run) => {
    if (run.attributes === undefined) return NO_MARKUP;
    const markup = markupOf(run);
    return getOrMake(lists, markup, () => markup.map(shared));
  });
}

/** For the markup of each run the index of the last run to which it goes on. */
function lastsOf(markup: readonly (readonly Markup[])[]): readonly (readonly number[])[] {
  const lasts: (readonly number[])[] = [];
  for (let index = markup.length - 1; index >= 0; index -= 1) {
    const following = markup[index + 1] ?? NO_MARKUP;
    const lastsThere = lasts[index + 1];
    lasts[index] = (markup[index] ?? NO_MARKUP).map(
      (each) => lastsThere?.[following.indexOf(each)] ?? index,
    );
  }
  return lasts;
}

/** How many of the open ones stay open at a run: those that end are closed with all inside them. */
function keptAt(open: readonly Stretch[], index: number): number {
  const ended = open.findIndex(({ last }) => last < index);
  return ended === -1 ? open.length : ended;
}

function closeUntil(open: Stretch[], kept: number): string {
  let written = "";
  while (open.length > kept) written += open.pop()?.markup.close ?? "";
  return written;
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

/**
 * Answers the tags of a run in HTML, for those formats whose value is allowed, in the order of its
 * keys. To be made anew for each text: it remembers what it has answered.
 */
export function tagWriter(): (run: Run) => readonly Markup[] {
  const byFormats = new Map<Formats, readonly Markup[]>();
  const byValue = new Map<string, Map<FormatValue, Markup | undefined>>();
  const remembered = (key: string, value: FormatValue): Markup | undefined => {
    const tags = getOrMake(byValue, key, () => new Map<FormatValue, Markup | undefined>());
    if (!tags.has(value)) tags.set(value, tagOf(key, value));
    return tags.get(value);
  };
  return ({ attributes }) => {
    if (attributes === undefined) return NO_MARKUP;
    return getOrMake(byFormats, attributes, () =>
      Object.entries(attributes).flatMap(([key, value]) => remembered(key, value) ?? []),
    );
  };
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
      return {
        open: `<a href="${replacedInLong(escapeText(value), '"', "&quot;")}">`,
        close: "</a>",
      };
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
  const classes = typeof value === "string" ? coloredClass(value) : undefined;
  if (classes === undefined) return undefined;
  return { open: `<${name} class="${classes}">`, close: `</${name}>` };
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
  const longest = (insert.length / decoded.length) * entity.length;
  if (longest > longestWritten(insert.length)) return write(insert);
  return insert.split(decoded).map(write).join(entity);
}
