import type * as Y from "yjs";
import { parseDeletion } from "./deletion-mark.ts";
import { ATTRIBUTE, stringAttribute, textIn, textOf } from "./schema.ts";
import type { NodeRegisters, TreeSource } from "./tree-index.ts";

/** The registers of a document's nodes. */
export function treeSourceOf(
  nodes: Y.Map<Y.Text>,
  sawMove: TreeSource["sawMove"] = () => {},
): TreeSource {
  return {
    *all() {
      // Straight from the entries: looking each key up again would double the time.
      for (const [key, item] of nodes._map) {
        const text = textIn(item);
        if (text !== undefined) yield [key, registersOf(text)];
      }
    },
    read(key) {
      const text = textOf(nodes, key);
      return text === undefined ? undefined : registersOf(text);
    },
    isGone: (key) => nodes._map.get(key)?.deleted === true,
    sawMove,
  };
}

/** A deletion mark that is none counts as absent. */
function registersOf(text: Y.Text): NodeRegisters {
  const deletion = stringAttribute(text, ATTRIBUTE.deletion);
  return {
    placement: stringAttribute(text, ATTRIBUTE.placement),
    deletion: parseDeletion(deletion) === undefined ? undefined : deletion,
    isWritten: text._start !== null || text._map.has(ATTRIBUTE.placement),
  };
}
