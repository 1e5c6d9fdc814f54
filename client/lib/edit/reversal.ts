import { completedAtOf, layoutOf } from "../../../src/core/node-reader.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { ATTRIBUTE, nodesOf, shortcutsOf, textOf } from "../../../src/core/schema.ts";
import type { Change } from "./change.ts";
import type { OwnNodes } from "./own-nodes.ts";
import { movedAt, placeOf, wayBack } from "./place-of-node.ts";

type Of<K extends Change["kind"]> = Extract<Change, { readonly kind: K }>;

/**
 * Does the opposite of changes, by new operations on the outline as it is now. What others have
 * changed since is left alone: then there is no opposite, or a smaller one.
 */
export class Reversal {
  readonly #outline: Outline;
  readonly #own: OwnNodes;
  readonly #seq: () => number;

  constructor(outline: Outline, own: OwnNodes, seq: () => number) {
    this.#outline = outline;
    this.#own = own;
    this.#seq = seq;
  }

  /** Inside a transaction. Answers what was done, which can be reversed again. */
  reverse(change: Change): Change | undefined {
    switch (change.kind) {
      case "created":
        return this.#trash(this.#own.ownSubtrees(change.keys), change.keys);
      case "restored":
        return this.#trash(change.keys, undefined);
      case "trashed":
        return this.#restore(change);
      case "moved":
        return this.#moveBack(change);
      case "completed":
        return this.#complete(change);
      case "layout":
        return this.#layOut(change);
      case "shortcut":
        return this.#point(change);
    }
  }

  #trash(
    keys: readonly NodeKey[],
    made: readonly NodeKey[] | undefined,
  ): Of<"trashed"> | undefined {
    const gone = keys.filter((key) => this.#outline.trash(key, this.#seq()).kind === "ok");
    if (gone.length === 0) return undefined;
    return { kind: "trashed", keys: gone, ...(made !== undefined && { made }) };
  }

  #restore({ keys, made }: Of<"trashed">): Of<"created"> | Of<"restored"> | undefined {
    const back = keys.filter((key) => this.#outline.restore(key).kind === "ok");
    if (back.length === 0) return undefined;
    return made === undefined ? { kind: "restored", keys: back } : { kind: "created", keys: made };
  }

  #moveBack({ key, from, movedAt: at }: Of<"moved">): Of<"moved"> | undefined {
    const now = placeOf(this.#outline, key);
    const to = wayBack(this.#outline, from);
    if (now === undefined || to === undefined || movedAt(this.#outline, key) !== at) {
      return undefined;
    }
    if (this.#outline.move(key, to).kind !== "ok") return undefined;
    return { kind: "moved", key, from: now, movedAt: movedAt(this.#outline, key) };
  }

  #complete({ key, from, to }: Of<"completed">): Of<"completed"> | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    if (text === undefined || completedAtOf(text) !== to) return undefined;
    if (this.#outline.setCompleted(key, from !== null).kind !== "ok") return undefined;
    // It was completed when it was, not now.
    if (from !== completedAtOf(text)) text.setAttribute(ATTRIBUTE.completed, from ?? 0);
    return { kind: "completed", key, from: to, to: from };
  }

  #layOut({ key, from, to }: Of<"layout">): Of<"layout"> | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    if (text === undefined || layoutOf(text) !== to) return undefined;
    if (this.#outline.update(key, { layout: from }).kind !== "ok") return undefined;
    return { kind: "layout", key, from: to, to: from };
  }

  #point({ entry, from, to }: Of<"shortcut">): Of<"shortcut"> | undefined {
    const entries = shortcutsOf(this.#outline.doc);
    if (entries.get(entry) !== to) return undefined;
    if (from === undefined) entries.delete(entry);
    else entries.set(entry, from);
    return { kind: "shortcut", entry, from: to, to: from };
  }
}
