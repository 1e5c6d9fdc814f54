import { dateLabel, parseDateMark, timeTag } from "../core/text/dates.ts";
import { htmlOfMarkdown } from "./markdown-text.ts";

/**
 * With two underscores Dynalist writes what is slanted; elsewhere that is bold. Not within code and
 * addresses.
 */
const SLANTED = /`[^`\n]*`|https?:\/\/[^\s)]*|__(?=\S)([^_\n]+?)(?<=\S)__/g;
/** A date with its time, until when it lasts, and how often it comes again. */
const DATE =
  /!\((\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)(?: - (\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d\d:\d\d))?(?: \| ([^()|\n]{1,40}))?\)/g;
const DAY_LENGTH = "2026-11-25".length;
const REPEAT = /^(\d{1,3})([dwmy])$/;
const UNITS: ReadonlyMap<string, string> = new Map([
  ["d", "day"],
  ["w", "week"],
  ["m", "month"],
  ["y", "year"],
]);
const CODE_OR_TAG_OR_TEXT = /<code>[^<]*<\/code>|<[^<>]*>|[^<]+|</g;

/** The HTML fragment of a name or a note as Dynalist writes it: markdown, with dates of its own. */
export function htmlOfDynalist(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const slanted = line.replace(SLANTED, (all, words: string | undefined) =>
        words === undefined ? all : `*${words}*`,
      );
      return withDates(htmlOfMarkdown(slanted));
    })
    .join("\n");
}

function withDates(html: string): string {
  if (!html.includes("!(")) return html;
  return html.replace(CODE_OR_TAG_OR_TEXT, (part) =>
    part.startsWith("<")
      ? part
      : part.replace(
          DATE,
          (all, from: string, until: string | undefined, repeat: string | undefined) => {
            const start = markOf(from);
            const end = until === undefined ? "" : endOf(until, from);
            if (start === undefined || end === undefined) return all;
            return start + end + (repeat === undefined ? "" : ` (${repeatInWords(repeat)})`);
          },
        ),
  );
}

/** Undefined for a date that does not exist. */
function markOf(date: string): string | undefined {
  const tag = timeTag(date);
  return tag && `${tag}${dateLabel(date)}</time>`;
}

/** A day is a date of its own; a time of the first day is text. */
function endOf(until: string, from: string): string | undefined {
  const isDay = until.length >= DAY_LENGTH;
  const date = isDay ? until : `${from.slice(0, DAY_LENGTH)} ${until}`;
  if (parseDateMark(date) === undefined) return undefined;
  return ` – ${isDay ? markOf(date) : dateLabel(date).split(" at ")[1]}`;
}

/** `2w` as `every 2 weeks`. What is not understood stays as it is written. */
function repeatInWords(repeat: string): string {
  const [, count, unit = ""] = REPEAT.exec(repeat) ?? [];
  const word = UNITS.get(unit);
  if (word === undefined) return `every ${repeat}`;
  return Number(count) === 1 ? `every ${word}` : `every ${count} ${word}s`;
}
