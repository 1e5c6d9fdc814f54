import type { NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { movedByPersonAt, parsePlacement } from "../../src/core/placement.ts";
import type { TreeRow } from "../../src/core/tree-row.ts";

/** What a run must not lose: every node that nobody deleted knowingly, every text that was typed. */
export class Ledger {
  readonly #created = new Set<NodeKey>();
  readonly #deletedKnowingly = new Set<NodeKey>();
  /** The time of the latest move of each node by a person. */
  readonly #latestMoves = new Map<NodeKey, number>();
  readonly #tokens = new Map<string, NodeKey>();
  #nextToken = 1;

  created(key: NodeKey): void {
    this.#created.add(key);
  }

  /** Somebody deletes `key` with all that is below it in front of the eyes. */
  deleted(outline: Outline, key: NodeKey): void {
    for (const row of subtree(outline, key)) this.#deletedKnowingly.add(row.key);
  }

  moved(outline: Outline, key: NodeKey): void {
    const at = moveTime(outline, key) ?? 0;
    this.#latestMoves.set(key, Math.max(this.#latestMoves.get(key) ?? 0, at));
  }

  /** The nodes that are where an earlier move put them, although somebody moved them later. */
  movedEarlier(outline: Outline): readonly NodeKey[] {
    return [...this.#latestMoves].flatMap(([key, latest]) => {
      const at = moveTime(outline, key);
      return at === undefined || at >= latest ? [] : [key];
    });
  }

  /** A piece of text that occurs nowhere else, for somebody to write into a node. */
  token(key: NodeKey): string {
    const token = `{${this.#nextToken++}}`;
    this.#tokens.set(token, key);
    return token;
  }

  /** The nodes that should be visible and are not. */
  lost(outline: Outline): readonly NodeKey[] {
    return [...this.#created].filter(
      (key) => !this.#deletedKnowingly.has(key) && !outline.has(key),
    );
  }

  /** The tokens that are not exactly once in the node they were written to, if that still is. */
  garbled(textOf: (key: NodeKey) => string | undefined): readonly string[] {
    return [...this.#tokens].flatMap(([token, key]) => {
      const text = textOf(key);
      return text === undefined || text.split(token).length === 2 ? [] : [`${token} in "${text}"`];
    });
  }
}

function moveTime(outline: Outline, key: NodeKey): number | undefined {
  const placement = parsePlacement(outline.tree.rowAt(key)?.register ?? "");
  return placement && movedByPersonAt(placement);
}

/** All that is at and below a node, deleted or not. */
function* subtree(outline: Outline, key: NodeKey): Generator<TreeRow> {
  const top = key === ROOT ? undefined : outline.tree.rowAt(key);
  const pending = top === undefined ? [] : [top];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    yield row;
    pending.push(...row.children, ...outline.tree.deletedChildren(row));
  }
}
