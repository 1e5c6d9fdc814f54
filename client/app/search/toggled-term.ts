/** A query with a tag or mention put behind it; without it, when it was among its words. */
export function toggledTerm(query: string, tag: string): string {
  const terms = query.trim().split(/\s+/).filter(Boolean);
  const others = terms.filter((term) => !isSame(term, tag));
  return (others.length < terms.length ? others : [...terms, tag]).join(" ");
}

/** As search compares them, in any language. What it uses itself is more than the page needs to begin with. */
function isSame(one: string, other: string): boolean {
  return one.localeCompare(other, "und", { sensitivity: "base" }) === 0;
}
