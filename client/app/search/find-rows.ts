import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { searchOutline } from "../../../src/core/search/search-outline.ts";
import type { TreeRow } from "../../../src/core/tree-row.ts";

/** The nodes below one that a query finds, in document order. */
export type FindRows = (outline: Outline, query: string, from: NodeKey) => readonly TreeRow[];

export const findRows: FindRows = (outline, query, from) => {
  const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
  return searchOutline(outline, parseQuery(query, context), from).matches;
};
