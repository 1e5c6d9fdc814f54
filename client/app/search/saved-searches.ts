import { SEARCH_MARK } from "../../../src/core/reference.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import type { Shortcut } from "../../../src/core/shortcut-list.ts";

/** A search among the stars. */
export interface SavedSearch {
  /** Under which it is kept. */
  readonly shortcut: string;
  readonly query: string;
  /** Where it looks. */
  readonly below: NodeKey;
}

/** Where the same words are saved for several places, all but the first have a number before them. */
const NUMBER = /^\d+\?/;

/** By age. */
export function savedSearches(outline: OutlineView): readonly SavedSearch[] {
  return outline.savedSearches().map(({ key, node }) => ({
    shortcut: key,
    query: decoded(key.slice(SEARCH_MARK.length).replace(NUMBER, "")),
    below: node,
  }));
}

/** The shortcuts that are no searches. */
export function starredNodes(outline: OutlineView): readonly Shortcut[] {
  return outline.shortcuts().filter(({ key }) => !key.startsWith(SEARCH_MARK));
}

/** The same search as it is saved; undefined when it is not. */
export function savedAs(
  outline: OutlineView,
  query: string,
  below: NodeKey,
): SavedSearch | undefined {
  const folded = query.trim().toLowerCase();
  return savedSearches(outline).find(
    (saved) => saved.below === below && saved.query.toLowerCase() === folded,
  );
}

/** A shortcut that is free for a search. */
export function shortcutOf(outline: OutlineView, query: string): string {
  const words = encoded(query.trim());
  const taken = new Set(outline.savedSearches().map(({ key }) => key.toLowerCase()));
  for (let number = NUMBER.test(words) ? 2 : 1; ; number += 1) {
    const shortcut = `${SEARCH_MARK}${number === 1 ? "" : `${number}?`}${words}`;
    if (!taken.has(shortcut.toLowerCase())) return shortcut;
  }
}

/** A shortcut has no slash. */
function encoded(query: string): string {
  return query.replaceAll("%", "%25").replaceAll("/", "%2F");
}

function decoded(words: string): string {
  return words.replaceAll(/%2f/gi, "/").replaceAll("%25", "%");
}
