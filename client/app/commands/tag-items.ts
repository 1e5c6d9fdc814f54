import type { TagCount } from "../sidebar/tag-counts.ts";
import type { SlashItem } from "./slash-items.ts";

/** What opens the list of tags, and that of mentions. */
export const TAG_MARKS: readonly string[] = ["#", "@"];

/** What may be written of a tag behind its mark. */
export const BEGUN_TAG = /^(?:[\p{L}\p{N}_][\p{L}\p{N}\p{M}_:./-]*)?$/u;

const MOST_TAGS = 8;

/** What is offered for a tag that is being written, and whether the first of it is what is meant. */
export interface TagChoice {
  readonly items: readonly SlashItem[];
  /** Not while nothing is written behind the mark, nor for a tag that is one already: Enter ends the line. */
  readonly isMeant: boolean;
}

/** @param found the tags that begin with `written`, mark included */
export function tagChoice(found: readonly TagCount[], written: string): TagChoice {
  const whole = written.toLowerCase();
  const others = found.filter(({ tag }) => tag !== whole);
  return {
    items: others.slice(0, MOST_TAGS).map(({ tag, count }) => ({
      kind: "tag",
      id: `tag ${tag}`,
      label: tag,
      hint: count.toLocaleString("en"),
    })),
    isMeant: whole.length > 1 && others.length === found.length,
  };
}
