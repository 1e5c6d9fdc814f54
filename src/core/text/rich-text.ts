import { cleanText, type Tabs } from "./clean-text.ts";

/**
 * Formatted text as a list of runs: what a name or a note is inside the service.
 *
 * Format keys: `b i s u code` are `true`; `a` is an href; `d` a date as `YYYY-MM-DD[ HH:MM]`;
 * `mark` and `span` are a class list (`""` for a bare mark); `e` is the source of a character that
 * was written as an entity (`&copy;` on `©`), so that it is written back the same. Other keys come
 * from other programs: they are carried along and mean nothing here.
 */
export type FormatValue = true | string;

/** The keys that mean something here. */
export const KNOWN_FORMATS = ["b", "i", "s", "u", "code", "a", "d", "mark", "span", "e"] as const;

export function isKnownFormat(key: string): boolean {
  return KNOWN_NAMES.has(key);
}

const KNOWN_NAMES: ReadonlySet<string> = new Set(KNOWN_FORMATS);

export type Formats = Readonly<Record<string, FormatValue>>;

/** Characters in a row that have the same formats. `attributes` is absent when there are none. */
export interface Run {
  readonly insert: string;
  readonly attributes?: Formats;
}

/** Canonical: no run is empty, no two neighbours have the same formats. Plain empty text is `[]`. */
export type RichText = readonly Run[];

/** The characters without their formats; an entity counts as the character it stands for. */
export function plainText(text: RichText): string {
  let plain = "";
  for (const run of text) plain += run.insert;
  return plain;
}

/** The same keys with the same values; no formats are the same as empty ones. */
export function sameFormats(a: Formats | undefined, b: Formats | undefined): boolean {
  if (a === b) return true;
  const keys = a === undefined ? [] : Object.keys(a);
  if (keys.length !== (b === undefined ? 0 : Object.keys(b).length)) return false;
  return keys.every((key) => a?.[key] === b?.[key]);
}

/** The same characters with the same formats. Both must be canonical. */
export function sameRichText(a: RichText, b: RichText): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((run, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      run.insert === other.insert &&
      sameFormats(run.attributes, other.attributes)
    );
  });
}

/** Collects runs in order and joins neighbours of the same formats: its result is canonical. */
export class RunBuilder {
  readonly #runs: Run[] = [];
  #text = "";
  #formats: Formats | undefined;

  /** @param formats are kept, not copied: the caller doesn't change them afterwards */
  add(text: string, formats?: Formats): void {
    if (text === "") return;
    if (this.#text !== "" && !sameFormats(this.#formats, formats)) this.#flush();
    if (this.#text === "") this.#formats = formats;
    this.#text += text;
  }

  /** The runs so far. The builder isn't used afterwards. */
  finish(): RichText {
    this.#flush();
    return this.#runs;
  }

  #flush(): void {
    if (this.#text === "") return;
    const formats = this.#formats;
    const isPlain = formats === undefined || Object.keys(formats).length === 0;
    this.#runs.push(isPlain ? { insert: this.#text } : { insert: this.#text, attributes: formats });
    this.#text = "";
  }
}

/** The text without the characters that may not be stored: replicas of others may have them. */
export function cleanRichText(text: RichText, tabs?: Tabs): RichText {
  if (text.every(({ insert }) => cleanText(insert, tabs) === insert)) return text;
  const runs = new RunBuilder();
  for (const { insert, attributes } of text) runs.add(cleanText(insert, tabs), attributes);
  return runs.finish();
}

/** The text without spaces and line breaks at its ends; a space that was an entity stays. */
export function trimRichText(text: RichText): RichText {
  let first = 0;
  let start = 0;
  for (; first < text.length; first += 1) {
    const run = text[first];
    start = run === undefined ? 0 : blankAtStart(run);
    if (start < (run?.insert.length ?? 0)) break;
  }
  let last = text.length - 1;
  let end = 0;
  for (; last >= first; last -= 1) {
    const run = text[last];
    end = run === undefined ? 0 : run.insert.length - blankAtEnd(run);
    if (end > 0) break;
  }
  return text.slice(first, last + 1).map((run, index, kept) => {
    const from = index === 0 ? start : 0;
    const to = index === kept.length - 1 ? end : run.insert.length;
    return from === 0 && to === run.insert.length
      ? run
      : { ...run, insert: run.insert.slice(from, to) };
  });
}

function blankAtStart({ insert, attributes }: Run): number {
  return attributes?.["e"] === undefined ? insert.search(/[^ \n]|$/) : 0;
}

function blankAtEnd({ insert, attributes }: Run): number {
  if (attributes?.["e"] !== undefined) return 0;
  let end = insert.length;
  while (end > 0 && " \n".includes(insert.charAt(end - 1))) end -= 1;
  return insert.length - end;
}
