import { isNodeKey, ROOT, type NodeKey } from "../node-key.ts";

const START = "#/";
/** What a search is kept as in an address, or a slash that somebody has added. */
const REST = /[/?&].*$/s;

/** The address of a node in links: `#/<short id>`, home is `#/`. */
export function hrefOfNode(key: NodeKey): string {
  return key === ROOT ? START : START + key;
}

/** The node that a link of the outline leads to; undefined for home and for every other address. */
export function nodeOfHref(href: string): NodeKey | undefined {
  if (!href.startsWith(START)) return undefined;
  const text = href.slice(START.length).replace(REST, "").toLowerCase();
  return isNodeKey(text) && text !== ROOT ? text : undefined;
}
