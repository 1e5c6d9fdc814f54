import { dateLabel, timeTag } from "../core/text/dates.ts";
import { htmlOfMarkdown } from "./markdown-text.ts";

/** With two underscores Dynalist writes what is slanted; elsewhere that is bold. Not within code. */
const SLANTED = /(`[^`\n]*`)|__(?=\S)([^_\n]+?)(?<=\S)__/g;
/** A date, its time, and how often it comes again. */
const DATE = /!\((\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?( \| [^()\n]{1,40})?\)/g;
const TAG_OR_TEXT = /<[^<>]*>|[^<]+|</g;

/** The HTML fragment of a name or a note as Dynalist writes it: markdown, with dates of its own. */
export function htmlOfDynalist(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const slanted = line.replace(SLANTED, (all, code: string | undefined, words: string) =>
        code === undefined ? `*${words}*` : all,
      );
      return withDates(htmlOfMarkdown(slanted));
    })
    .join("\n");
}

/** How often a date comes again stays as text behind it. */
function withDates(html: string): string {
  if (!html.includes("!(")) return html;
  return html.replace(TAG_OR_TEXT, (part) =>
    part.startsWith("<")
      ? part
      : part.replace(DATE, (all, day: string, time?: string, again = "") => {
          const mark = time === undefined ? day : `${day} ${time}`;
          const tag = timeTag(mark);
          return tag === undefined ? all : `${tag}${dateLabel(mark)}</time>${again}`;
        }),
  );
}
