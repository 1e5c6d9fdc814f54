import { COLOURS } from "../text/colored-class.ts";
import { criterionOf, tokensOf } from "./parse-query.ts";
import type { QueryContext } from "./time-span.ts";

/** A part of a query that looks like an operator and is looked for as a word. */
export interface QueryWarning {
  /** As it was written, without a minus. */
  readonly term: string;
  /** Why, and what to write instead, as a sentence. */
  readonly message: string;
}

const DAYS = "or a day, month or year as 2026-11-20, 2026-11 or 2026";
const TIMES = `2h, 1d, 3w, 6m, 1y, today, yesterday, ${DAYS}`;
const COLOUR_NAMES = COLOURS.join(", ");

/** What each operator takes. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ["is", "todo or complete"],
  ["has", "note, link, date or colour"],
  ["in", "note"],
  ["due", `today, tomorrow, yesterday, overdue, 3d, 2w, 6m, 1y, ${DAYS}`],
  ["changed", TIMES],
  ["created", TIMES],
  ["colour", COLOUR_NAMES],
  ["color", COLOUR_NAMES],
  ["backlinks", "an id or the address of a line"],
]);
const NAMES = [...TAKEN.keys()].map((name) => `${name}:`).join(" ");

/** Words of other search languages. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  AND: "all words have to be there anyway",
  NOT: "a minus before a word leaves it out, as in -word",
};

/** A name and what it is to be, but no address (`https://…`) and no time (`at:30`). */
const OPERATOR = /^([a-z]+):([^/].*)$/i;

/** Nothing in a query is an error: this says which words of it may be meant otherwise than they are taken. */
export function warningsOf(text: string, context: QueryContext): readonly QueryWarning[] {
  const warnings = new Map<string, QueryWarning>();
  for (const { 3: term } of tokensOf(text)) {
    const message = term === undefined ? undefined : messageOf(term, context);
    if (term !== undefined && message !== undefined) warnings.set(term, { term, message });
  }
  return [...warnings.values()];
}

function messageOf(term: string, context: QueryContext): string | undefined {
  const word = Object.hasOwn(OTHER_WORDS, term) ? OTHER_WORDS[term] : undefined;
  if (word !== undefined) return `“${term}” is looked for as a word: ${word}.`;
  const [, written = "", value = ""] = OPERATOR.exec(term) ?? [];
  const name = written.toLowerCase();
  if (value === "" || (name === "in" && value.toLowerCase() === "note")) return undefined;
  if (criterionOf(term, context).kind !== "text") return undefined;
  const taken = TAKEN.get(name);
  const why =
    taken === undefined
      ? `there is no operator ${name}:, only ${NAMES}`
      : `${name}: takes ${taken}`;
  return `“${term}” is looked for as a word: ${why}.`;
}
