/**
 * Outlines in one line: words are names, what stands in brackets is below the word before it.
 * `a(b c(d)) e` has `a` and `e` at the top level, `b` and `c` below `a`, and `d` below `c`.
 */
import type { Api } from "./api.ts";
import type { ApiNode } from "./strict-answers.ts";

/** Makes the nodes of a sketch, in order. @returns the id of the node with a name of the sketch */
export async function plant(
  api: Api,
  sketch: string,
  parent?: string,
): Promise<(name: string) => string> {
  const ids = new Map<string, string>();
  const path: (string | undefined)[] = [parent];
  let last: string | undefined;
  for (const [token] of sketch.matchAll(/[()]|[^\s()]+/g)) {
    if (token === "(") path.push(last);
    else if (token === ")") path.pop();
    else {
      last = await api.create({ parent_id: path.at(-1), name: token, position: "bottom" });
      ids.set(token, last);
    }
  }
  return (name) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`${name} is not in ${sketch}`);
    return id;
  };
}

/** The sketch of what an export holds. Names with spaces stand in it as they are. */
export function sketchOf(nodes: readonly ApiNode[]): string {
  let text = "";
  const branch: string[] = [];
  for (const { id, name, parent_id: parent } of nodes) {
    const depth = parent === null ? 0 : branch.lastIndexOf(parent) + 1;
    const closed = branch.length - 1 - depth;
    if (text !== "") text += closed < 0 ? "(" : `${")".repeat(closed)} `;
    text += name;
    branch.length = depth;
    branch.push(id);
  }
  return text + ")".repeat(Math.max(branch.length - 1, 0));
}
