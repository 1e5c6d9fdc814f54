import type * as Y from "yjs";
import { parseDeletion } from "./deletion-mark.ts";
import { ATTRIBUTE, stringAttribute, textOf } from "./schema.ts";
import type { TreeSource } from "./tree-index.ts";

/** The registers of a document's nodes. A deletion mark that is none counts as absent. */
export function treeSourceOf(
  nodes: Y.Map<Y.Text>,
  sawMove: TreeSource["sawMove"] = () => {},
): TreeSource {
  return {
    keys: () => nodes._map.keys(),
    read(key) {
      const text = textOf(nodes, key);
      if (text === undefined) return undefined;
      const deletion = stringAttribute(text, ATTRIBUTE.deletion);
      return {
        placement: stringAttribute(text, ATTRIBUTE.placement),
        deletion: parseDeletion(deletion) === undefined ? undefined : deletion,
      };
    },
    sawMove,
  };
}
