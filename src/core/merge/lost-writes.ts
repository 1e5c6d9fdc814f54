import type * as Y from "yjs";
import {
  believedCompletion,
  joinCompletions,
  lostCompletionOf,
  readCompletion,
  writeCompletion,
} from "../node/completion.ts";
import { rootEntriesIn } from "../root-entries.ts";
import type { Completion } from "../node/completion.ts";
import { parseDeletion } from "../node/deletion-mark.ts";
import { lostDeletionOf, lostValueOf } from "./lost-value.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { ATTRIBUTE, metaOf, nodesOf, shortcutsOf, stringAttribute, textOf } from "../schema.ts";
import { believed, parseTimed } from "../node/timed-value.ts";
import { itemsByKey, type Keyed } from "../yjs/inside.ts";

/** What one run has to write again. */
type Lost =
  | { readonly kind: "completion"; readonly key: NodeKey; readonly completion: Completion }
  | { readonly kind: "layout" | "deletion"; readonly key: NodeKey; readonly value: string }
  | {
      readonly kind: "entry";
      readonly root: "keys" | "meta";
      readonly name: string;
      readonly value: string;
    };

/** Which of them are looked for; tests leave one out to show that it is needed. */
export interface LostKinds {
  readonly laterWrites: boolean;
  readonly deletions: boolean;
}

/**
 * The writes of registers that Yjs dropped although they should have won (D70 to D73): of
 * layouts, completions, deletion marks, shortcuts and settings. Moves are found by `lostMoveOf`.
 */
export class LostWrites {
  readonly #outline: Outline;
  readonly #kinds: LostKinds;
  /** Since the last run: at most one for each register [Q40]. */
  readonly #lost = new Map<string, Lost>();

  constructor(outline: Outline, kinds: LostKinds) {
    this.#outline = outline;
    this.#kinds = kinds;
  }

  get isEmpty(): boolean {
    return this.#lost.size === 0;
  }

  /** To be called after a transaction of others, with what it changed in a node. */
  observeNode(key: NodeKey, names: ReadonlySet<string | null>): void {
    const text = textOf(nodesOf(this.#outline.doc), key);
    if (text === undefined) return;
    if (this.#kinds.laterWrites && names.has(ATTRIBUTE.completed)) {
      const lost = lostCompletionOf(text, this.#secondOf);
      const completion = lost && (believedCompletion(lost, this.#outline.now()) ?? lost);
      if (completion !== undefined) this.#add({ kind: "completion", key, completion });
    }
    if (this.#kinds.laterWrites && names.has(ATTRIBUTE.layout)) {
      const value = this.#lostIn(text, ATTRIBUTE.layout);
      if (value !== undefined) this.#add({ kind: "layout", key, value });
    }
    if (this.#kinds.deletions && names.has(ATTRIBUTE.deletion)) {
      const value = lostDeletionOf(key, text, this.#millisecondOf);
      if (value !== undefined) this.#add({ kind: "deletion", key, value });
    }
  }

  /** The same with what it changed in a root of the document. */
  observeRoots(transaction: Y.Transaction): void {
    if (!this.#kinds.laterWrites) return;
    for (const { root, map, name } of rootEntriesIn(transaction)) {
      const value = this.#lostIn(map, name);
      if (value !== undefined) this.#add({ kind: "entry", root, name, value });
    }
  }

  /** All that was found since this was last asked. */
  take(): readonly Lost[] {
    const all = [...this.#lost.values()];
    this.#lost.clear();
    return all;
  }

  /** Writes one of them, unless something later was written since. Inside a transaction. */
  write(lost: Lost): void {
    const { doc, tree, treeWriter } = this.#outline;
    if (lost.kind === "entry") {
      const root = lost.root === "keys" ? shortcutsOf(doc) : metaOf(doc);
      if (isLater(lost.value, root.get(lost.name))) {
        (root as Y.Map<unknown>).set(lost.name, lost.value);
      }
      return;
    }
    const text = textOf(nodesOf(doc), lost.key);
    if (text === undefined) return;
    if (lost.kind === "completion") {
      writeCompletion(text, joinCompletions(readCompletion(text), lost.completion));
    } else if (lost.kind === "layout") {
      const now = stringAttribute(text, ATTRIBUTE.layout);
      if (isLater(lost.value, now)) text.setAttribute(ATTRIBUTE.layout, lost.value);
    } else {
      const row = tree.rowAt(lost.key);
      const now = stringAttribute(text, ATTRIBUTE.deletion);
      if (row !== undefined && isStronger(lost.value, now)) {
        treeWriter.rewriteDeletion(row, lost.value);
      }
    }
  }

  #add(lost: Lost): void {
    const name = lost.kind === "entry" ? `${lost.root} ${lost.name}` : lost.key;
    this.#lost.set(`${lost.kind} ${name}`, lost);
  }

  #lostIn(type: Keyed, name: string): string | undefined {
    const kept = itemsByKey(type).get(name);
    return kept && lostValueOf(kept, this.#millisecondOf);
  }

  readonly #secondOf = (item: Y.Item): number => this.#outline.dateOf(item.id);

  readonly #millisecondOf = (item: Y.Item, said: number): number =>
    believed(said === 0 ? this.#outline.dateOf(item.id) * 1000 : said, this.#outline.now());
}

/** Whether what was found to be the latest still is. */
function isLater(lost: string, now: unknown): boolean {
  return typeof now !== "string" || parseTimed(now).at <= parseTimed(lost).at;
}

function isStronger(lost: string, now: string | undefined): boolean {
  const [isLostFinal, isNowFinal] = [lost, now].map(
    (each) => parseDeletion(each)?.kind === "final",
  );
  return isLostFinal === isNowFinal ? isLater(lost, now) : isLostFinal === true;
}
