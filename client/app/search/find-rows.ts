import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { searchOutline } from "../../../src/core/search/search-outline.ts";
import type { TreeRow } from "../../../src/core/tree/tree-row.ts";
import { RowSearch } from "../outline/rows/row-search.ts";

/** What a query finds. */
export interface FoundRows {
  /** In document order. */
  readonly matches: readonly TreeRow[];
  /** Shows them, in a search of its own. */
  readonly show: () => RowSearch;
}

/** What a query finds below a node. */
export type FindRows = (outline: Outline, query: string, from: NodeKey) => FoundRows;

export const findRows: FindRows = (outline, query, from) => {
  const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
  const { matches } = searchOutline(outline, parseQuery(query, context), from);
  return { matches, show: () => new RowSearch(matches) };
};
