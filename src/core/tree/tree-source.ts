import type * as Y from "yjs";
import { parseDeletion } from "../node/deletion-mark.ts";
import { isNodeKey, isReservedKey, ROOT, type NodeKey } from "../node-key.ts";
import { ATTRIBUTE, stringAttribute, textIn, textOf } from "../schema.ts";
import type { NodeRegisters, TreeSource } from "./node-registers.ts";
import { firstItem, itemsByKey } from "../yjs/inside.ts";

/** The registers of a document's nodes. */
export function treeSourceOf(
  nodes: Y.Map<Y.Text>,
  sawMove: TreeSource["sawMove"] = () => {},
): TreeSource {
  return {
    *all() {
      // Straight from the entries: looking each key up again would double the time.
      for (const [key, item] of itemsByKey(nodes)) {
        const text = textIn(item);
        if (text !== undefined) yield [key, registersOf(key, text)];
      }
    },
    read(key) {
      const text = textOf(nodes, key);
      return text === undefined ? undefined : registersOf(key, text);
    },
    isGone: (key) => itemsByKey(nodes).get(key)?.deleted === true,
    sawMove,
  };
}

/** A deletion mark that is none counts as absent. */
function registersOf(key: string, text: Y.Text): NodeRegisters {
  const deletion = stringAttribute(text, ATTRIBUTE.deletion);
  return {
    placement: stringAttribute(text, ATTRIBUTE.placement),
    deletion: parseDeletion(deletion) === undefined ? undefined : deletion,
    origin: originIn(key, text),
    isWritten: firstItem(text) !== null || itemsByKey(text).has(ATTRIBUTE.placement),
  };
}

/** What a node is a mirror of: something else than itself. A reserved node is no mirror. */
export function originIn(key: string, text: Y.Text): NodeKey | undefined {
  const origin = stringAttribute(text, ATTRIBUTE.origin);
  if (origin === undefined || !isNodeKey(origin) || origin === ROOT || origin === key) return;
  return isReservedKey(key as NodeKey) ? undefined : origin;
}
