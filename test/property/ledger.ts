import { lastChangeOf, readCompletion } from "../../src/core/node/completion.ts";
import { deletionTime, parseDeletion } from "../../src/core/node/deletion-mark.ts";
import { isReservedKey, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { movedByPersonAt, parsePlacement } from "../../src/core/tree/placement.ts";
import {
  entryOf,
  nodesOf,
  notesOf,
  shortcutsOf,
  stringAttribute,
  textOf,
  valueOf,
} from "../../src/core/schema.ts";
import { parseTimed } from "../../src/core/node/timed-value.ts";
import type { TreeRow } from "../../src/core/tree/tree-row.ts";

/** A value of a register, when it was written, and whether another of the same time gives way to it. */
interface Said {
  readonly value: string;
  readonly at: number;
  readonly rank: number;
  /** A deletion mark of something above that the server has handed down. */
  readonly isHandedDown?: boolean;
}

/** The client id of the server. */
const SERVER = 1;

const TOKEN = /\{\d+\}/g;

/** What a run must not lose: every node that nobody deleted knowingly, every text that was typed. */
export class Ledger {
  readonly #created = new Set<NodeKey>();
  readonly #deletedKnowingly = new Set<NodeKey>();
  /** The time of the latest move of each node by a person. */
  readonly #latestMoves = new Map<NodeKey, number>();
  /** What was written last of each register, by its name. */
  readonly #latestWrites = new Map<string, Said>();
  readonly #deletedForGood = new Set<NodeKey>();
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

  /** A node that only a need for it brings back. */
  deletedForGood(key: NodeKey): void {
    if (!isReservedKey(key)) this.#deletedForGood.add(key);
  }

  /** The nodes that were deleted for good and are there, or in the trash. */
  revived(outline: Outline): readonly NodeKey[] {
    return [...this.#deletedForGood].filter(
      (key) =>
        outline.has(key) || parseDeletion(outline.tree.rowAt(key)?.deletion)?.kind === "trash",
    );
  }

  /** Somebody has written registers of a node, or shortcuts. */
  wrote(outline: Outline, registers: readonly string[]): void {
    for (const register of registers) {
      const said = saidBy(outline, register);
      const latest = this.#latestWrites.get(register);
      if (said === undefined || (latest !== undefined && !isLater(said, latest))) continue;
      this.#latestWrites.set(register, said);
    }
  }

  /** The registers that say something which was written earlier than something else. */
  wroteEarlier(outline: Outline): readonly string[] {
    return [...this.#latestWrites].flatMap(([register, latest]) => {
      const said = saidBy(outline, register);
      if (said === undefined || said.isHandedDown === true || isLater(said, latest)) return [];
      return said.value === latest.value ? [] : [`${register}: ${JSON.stringify([said, latest])}`];
    });
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
      // In a mirror nobody sees it.
      if (outline.tree.mirrors.originOf(row.key) !== undefined) continue;
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

/** Names of the registers of a node. Reserved ones come back when they are needed. */
export function registersOf(key: NodeKey): readonly string[] {
  const names = isReservedKey(key) ? ["l", "x"] : ["l", "x", "d"];
  return names.map((name) => `${name} ${key}`);
}

/** The name of the register of a shortcut. */
export function registerOfShortcut(shortcut: string): string {
  return `s ${shortcut.toLowerCase()}`;
}

/** What a register says; undefined for one that was never written, or that is gone. */
function saidBy(outline: Outline, register: string): Said | undefined {
  const [kind = "", key = ""] = register.split(" ");
  if (kind === "s") {
    const stored = valueOf(shortcutsOf(outline.doc), key);
    return typeof stored === "string" ? timed(outline, stored) : undefined;
  }
  const text = textOf(nodesOf(outline.doc), key);
  if (text === undefined) return undefined;
  if (kind === "x") {
    const completion = readCompletion(text);
    const isDone = completion.completedAt.length > 0;
    const at = lastChangeOf(completion);
    return { value: String(isDone), at, rank: isDone ? 0 : 1 };
  }
  const stored = stringAttribute(text, kind);
  if (stored === undefined) return undefined;
  if (kind === "l") return timed(outline, stored);
  const mark = parseDeletion(stored);
  // A final one is later than everything.
  const at = mark?.kind === "final" ? Infinity : deletionTime(stored);
  // What the rules make void is so from the same moment on: the server says it, whose id is the smallest.
  const author = parseTimed(stored).by ?? entryOf(text, kind)?.id.client ?? 0;
  const rank = mark === undefined && author === SERVER ? Infinity : author;
  const isHandedDown = mark?.restates !== undefined;
  return { value: mark?.kind ?? "none", at, rank, isHandedDown };
}

function timed({ doc }: Outline, stored: string): Said {
  const { value, at, by = doc.clientID } = parseTimed(stored);
  return { value, at, rank: by };
}

function isLater(one: Said, other: Said): boolean {
  return one.at === other.at ? one.rank > other.rank : one.at > other.at;
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
