import type { Criterion, Query, QueryTerm } from "./query.ts";

/**
 * Whether everything that a query finds was found by an earlier one too, as when a word gets longer.
 * Only says so where it is certain.
 */
export function narrows(query: Query, earlier: Query): boolean {
  if (query.inNotes !== earlier.inNotes) return false;
  if (earlier.above !== undefined) {
    if (query.above === undefined || !narrows(query.above, earlier.above)) return false;
  }
  return earlier.groups.every((wider) => query.groups.some((group) => isWithin(group, wider)));
}

/** Whether each of the terms, one of which has to hold, means no more than one of the others. */
function isWithin(group: readonly QueryTerm[], wider: readonly QueryTerm[]): boolean {
  return group.every((term) => wider.some((other) => implies(term, other)));
}

function implies(term: QueryTerm, other: QueryTerm): boolean {
  if (term.isNot !== other.isNot) return false;
  const [own, others] = [term.criterion, other.criterion];
  if (own.kind === "text" && others.kind === "text") {
    const [part, whole] = term.isNot ? [own.text, others.text] : [others.text, own.text];
    return whole.includes(part);
  }
  return isSame(own, others);
}

/** Whether two criteria mean the same. */
export function isSame(one: Criterion, other: Criterion): boolean {
  switch (one.kind) {
    case "text":
      return other.kind === "text" && one.text === other.text;
    case "tag":
      return other.kind === "tag" && one.tag === other.tag;
    case "linksTo":
      return other.kind === "linksTo" && one.target === other.target;
    case "colour":
      return other.kind === "colour" && one.colour === other.colour;
    case "due":
      return (
        other.kind === "due" && one.span.from === other.span.from && one.span.to === other.span.to
      );
    case "changed":
    case "created": {
      const { kind, span } = one;
      return kind === other.kind && span.from === other.span.from && span.to === other.span.to;
    }
    default:
      return one.kind === other.kind;
  }
}
