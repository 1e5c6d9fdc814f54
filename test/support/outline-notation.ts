import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";

/**
 * Outlines in one line: names (letters and digits), children in brackets behind them.
 * `a(b c(d)) e` is a with b and c, d in c, then e.
 */
export type Notation = string;

/** The key of each name. */
export type Keys = Readonly<Record<string, NodeKey>>;

/** Creates nodes behind what is there, in one transaction. */
export function plant(outline: Outline, notation: Notation, parent: NodeKey = ROOT): Keys {
  const keys: Record<string, NodeKey> = {};
  const path = [parent];
  let last = parent;
  outline.doc.transact(() => {
    for (const [token] of notation.matchAll(/[A-Za-z0-9]+|[()]/g)) {
      if (token === "(") path.push(last);
      else if (token === ")") path.pop();
      else {
        const name = [{ insert: token }];
        last = outline.createPlain({ parent: path.at(-1) ?? ROOT, position: "bottom", name });
        keys[token] = last;
      }
    }
  });
  return keys;
}

/** What is shown below a node. */
export function shape(outline: Outline, parent: NodeKey = ROOT): Notation {
  const parts = outline.children(parent).map(({ key, name }) => {
    const below = shape(outline, key);
    return below === "" ? name : `${name}(${below})`;
  });
  return parts.join(" ");
}

/** The key of a name in a planted outline. */
export function keyOf(keys: Keys, name: string): NodeKey {
  const key = keys[name];
  if (key === undefined) throw new Error(`nothing is called ${name}`);
  return key;
}
