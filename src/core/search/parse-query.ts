import { isNodeKey, type NodeKey } from "../node-key.ts";
import { isColour } from "../text/colored-class.ts";
import { nodeOfHref } from "../text/node-link.ts";
import { dueSpan } from "./due-span.ts";
import { foldText } from "./fold-text.ts";
import { type LetterPairs, NO_PAIRS, pairsOf } from "./letter-pairs.ts";
import { isSame } from "./narrows.ts";
import type { Criterion, Query, QueryTerm } from "./query.ts";
import { tagsIn } from "./tags.ts";
import { type QueryContext, timeSpan } from "./time-span.ts";

/** Stands between a name and its note where they are searched: nobody looks for that. */
const CONTROL = "\u0000";

const BELOW = ">";
const FULL_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const KEY_LENGTH = 12;

/** Telephones write these for plain ones. */
const QUOTES = /[“”„]/g;

/** A minus, then a phrase in quotes (which may still be open), or anything without spaces. */
const TOKEN = /(-?)(?:"([^"]*)(?:"|$)|(\S+))/g;

/**
 * Reads what was typed into the search box. Never fails: what is no operator is a word. `OR` stands
 * between two terms, of which one has to hold; all others have to hold together. `>` stands between
 * two searches: what the second one finds below something that the first one finds.
 */
export function parseQuery(text: string, context: QueryContext): Query {
  let groups: QueryTerm[][] = [];
  let inNotes = false;
  let joins = false;
  let above: Query | undefined;
  const tokens = tokensOf(text);
  for (const [index, [source, minus, phrase, word]] of tokens.entries()) {
    if (source === BELOW && (groups.length > 0 || inNotes)) {
      // One at the end is not finished yet.
      if (index === tokens.length - 1) break;
      above = { groups, inNotes, ...(above && { above }) };
      groups = [];
      inNotes = false;
      joins = false;
      continue;
    }
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
  return { groups, inNotes, ...(above && { above }) };
}

/** What stands in a query, in order: all of it, a minus before it, and either a phrase or a word. */
export function tokensOf(text: string): readonly RegExpExecArray[] {
  return [...text.replaceAll(CONTROL, " ").replace(QUOTES, '"').matchAll(TOKEN)];
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
    return text === "" ? undefined : termFor({ kind: "text", text }, isNot);
  }
  return termFor(criterionOf(word, context), isNot);
}

export function termFor(criterion: Criterion, isNot: boolean): QueryTerm {
  return { criterion, pairs: pairsFor(criterion), isNot };
}

function pairsFor(criterion: Criterion): LetterPairs {
  if (criterion.kind === "text") return pairsOf(criterion.text);
  return criterion.kind === "tag" ? pairsOf(criterion.tag) : NO_PAIRS;
}

/** What a word that stands in no quotes asks for. */
export function criterionOf(word: string, context: QueryContext): Criterion {
  const folded = foldText(word);
  switch (folded) {
    case "is:todo":
      return { kind: "todo" };
    case "is:complete":
    case "is:completed":
      return { kind: "complete" };
    case "has:note":
      return { kind: "note" };
    case "has:link":
      return { kind: "link" };
    case "has:date":
      return { kind: "date" };
    case "has:colour":
    case "has:color":
      return { kind: "colour", colour: undefined };
  }
  const [, name = "", value = ""] = /^([a-z]+):(.+)$/.exec(folded) ?? [];
  const asked = criterionWith(name, value, context);
  if (asked !== undefined) return asked;
  const [tag] = tagsIn(word);
  if (tag?.from === 0 && tag.to === word.length) {
    return { kind: "tag", tag: folded };
  }
  return { kind: "text", text: folded };
}

/** What an operator with a value asks for; undefined when it is none, or has no value that it can have. */
function criterionWith(name: string, value: string, context: QueryContext): Criterion | undefined {
  switch (name) {
    case "changed":
    case "created": {
      const span = timeSpan(value, context);
      return span && { kind: name, span };
    }
    case "due": {
      const span = dueSpan(value, context);
      return span && { kind: "due", span };
    }
    case "colour":
    case "color":
      return isColour(value) ? { kind: "colour", colour: value } : undefined;
    case "backlinks": {
      const target = isNodeKey(value) ? value : nodeOfAddress(value);
      return target && { kind: "linksTo", target };
    }
    default:
      return undefined;
  }
}

/** The node in an address of the app, or in a full id. */
function nodeOfAddress(text: string): NodeKey | undefined {
  const mark = text.indexOf("#/");
  if (mark >= 0) return nodeOfHref(text.slice(mark));
  const end = text.slice(-KEY_LENGTH);
  return FULL_ID.test(text) && isNodeKey(end) ? end : undefined;
}

function isIn(group: readonly QueryTerm[], { criterion, isNot }: QueryTerm): boolean {
  return group.some((term) => term.isNot === isNot && isSame(term.criterion, criterion));
}
