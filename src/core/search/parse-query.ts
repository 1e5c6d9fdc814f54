import { foldText } from "./fold-text.ts";
import { pairsOf } from "./letter-pairs.ts";
import { isSame } from "./narrows.ts";
import type { Criterion, Query, QueryTerm } from "./query.ts";
import { tagsIn } from "./tags.ts";
import { type QueryContext, timeSpan } from "./time-span.ts";

/** Stands between a name and its note where they are searched: nobody looks for that. */
const CONTROL = "\u0000";

/** A minus, then a phrase in quotes (which may still be open), or anything without spaces. */
const TOKEN = /(-?)(?:"([^"]*)(?:"|$)|(\S+))/g;

/**
 * Reads what was typed into the search box. Never fails: what is no operator is a word. `OR` stands
 * between two terms, of which one has to hold; all others have to hold together.
 */
export function parseQuery(text: string, context: QueryContext): Query {
  const groups: QueryTerm[][] = [];
  let inNotes = false;
  let joins = false;
  const tokens = [...text.replaceAll(CONTROL, " ").matchAll(TOKEN)];
  for (const [index, [source, minus, phrase, word]] of tokens.entries()) {
    const isOr = source === "OR" && groups.length > 0;
    if (isOr && !joins) {
      // One at the end is not finished yet.
      joins = index < tokens.length - 1;
      continue;
    }
    if (word === "in:note" && minus === "") {
      inNotes = true;
      continue;
    }
    const term = termOf(minus ?? "", phrase, word, context);
    if (term === undefined) continue;
    const last = groups.at(-1);
    if (joins && last !== undefined) {
      if (!isIn(last, term)) last.push(term);
    } else groups.push([term]);
    joins = false;
  }
  return { groups, inNotes };
}

function termOf(
  minus: string,
  phrase: string | undefined,
  word: string | undefined,
  context: QueryContext,
): QueryTerm | undefined {
  const isNot = minus === "-";
  if (word === undefined) {
    const text = foldText(phrase ?? "");
    return text === "" ? undefined : { criterion: textCriterion(text), isNot };
  }
  return { criterion: criterionOf(word, context), isNot };
}

function criterionOf(word: string, context: QueryContext): Criterion {
  const folded = foldText(word);
  switch (folded) {
    case "is:todo":
      return { kind: "todo" };
    case "is:complete":
    case "is:completed":
      return { kind: "complete" };
    case "has:note":
      return { kind: "note" };
  }
  const [, name, when] = /^(changed|created):(.+)$/.exec(folded) ?? [];
  const span = when === undefined ? undefined : timeSpan(when, context);
  if (span !== undefined) return { kind: name === "created" ? "created" : "changed", span };
  const [tag] = tagsIn(word);
  if (tag?.from === 0 && tag.to === word.length) {
    return { kind: "tag", tag: folded, pairs: pairsOf(folded) };
  }
  return textCriterion(folded);
}

function textCriterion(text: string): Criterion {
  return { kind: "text", text, pairs: pairsOf(text) };
}

function isIn(group: readonly QueryTerm[], { criterion, isNot }: QueryTerm): boolean {
  return group.some((term) => term.isNot === isNot && isSame(term.criterion, criterion));
}
