import { foldText } from "../../../src/core/search/fold-text.ts";

/** A query with a tag or mention put behind it; without it, when it was among its words. */
export function toggledTerm(query: string, tag: string): string {
  const terms = query.trim().split(/\s+/).filter(Boolean);
  const others = terms.filter((term) => foldText(term) !== foldText(tag));
  return (others.length < terms.length ? others : [...terms, tag]).join(" ");
}
