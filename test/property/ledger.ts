import { parseDeletion } from "../../src/core/deletion-mark.ts";
import type { NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { movedByPersonAt, parsePlacement } from "../../src/core/placement.ts";
import { nodesOf, notesOf, textOf } from "../../src/core/schema.ts";
import type { TreeRow } from "../../src/core/tree-row.ts";

const TOKEN = /\{\d+\}/g;

/** What a run must not lose: every node that nobody deleted knowingly, every text that was typed. */
export class Ledger {
  readonly #created = new Set<NodeKey>();
  readonly #deletedKnowingly = new Set<NodeKey>();
  /** The time of the latest move of each node by a person. */
  readonly #latestMoves = new Map<NodeKey, number>();
  readonly #tokens = new Map<string, NodeKey>();
  /** Tokens that somebody deleted for good knowing them, and others that nobody looks for. */
  readonly #erased = new Set<string>();
  #nextToken = 1;

  created(key: NodeKey): void {
    this.#created.add(key);
  }

  /** Somebody deletes `key` with all that is below it in front of the eyes. */
  deleted(outline: Outline, key: NodeKey): void {
    for (const row of subtree(outline, key)) this.#deletedKnowingly.add(row.key);
  }

  /** Somebody deletes for good what is at and below `key`, with all text that is there for them. */
  erased(outline: Outline, key: NodeKey): void {
    for (const row of subtree(outline, key)) this.#erase(tokensIn(outline, row.key));
  }

  /** What is not to be found any more is gone rightly: it was in the trash, and its time was over. */
  purged(outline: Outline, before: ReadonlySet<string>): void {
    const after = this.findable(outline);
    this.#erase([...before].filter((token) => !after.has(token)));
  }

  /** The tokens that are in what is shown, or in something that can be restored. */
  findable(outline: Outline): ReadonlySet<string> {
    const tokens = new Set<string>();
    for (const row of outline.tree.rows()) {
      if (!isGone(row)) for (const token of tokensIn(outline, row.key)) tokens.add(token);
    }
    return tokens;
  }

  /** The tokens that nobody deleted for good knowing them, and that are nowhere to be found. */
  unfindable(outline: Outline): readonly string[] {
    const there = this.findable(outline);
    return [...this.#tokens.keys()].filter(
      (token) => !there.has(token) && !this.#erased.has(token),
    );
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

  /**
   * A piece of text that occurs nowhere else, for somebody to write into a node.
   * @param isTyped false when it may be written as a difference, of which only a part is typed
   */
  token(key: NodeKey, isTyped = true): string {
    const token = `{${this.#nextToken++}}`;
    this.#tokens.set(token, key);
    if (!isTyped) this.#erased.add(token);
    return token;
  }

  #erase(tokens: Iterable<string>): void {
    for (const token of tokens) this.#erased.add(token);
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

/** The text of a node and of its notes holds these tokens. */
function tokensIn({ doc }: Outline, key: NodeKey): readonly string[] {
  const text = textOf(nodesOf(doc), key);
  const texts = text === undefined ? [] : [text, ...notesOf(text)];
  return texts.flatMap((each) => each.toJSON().match(TOKEN) ?? []);
}

/** Whether the nearest mark at or above a row is a final one. */
function isGone(row: TreeRow): boolean {
  let up: TreeRow | undefined = row;
  while (up !== undefined && up.deletion === undefined) up = up.parent;
  return parseDeletion(up?.deletion)?.kind === "final";
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
