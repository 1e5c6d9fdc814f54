import {
  completedAgain,
  completedAtOf,
  completionAfter,
  readCompletion,
  writeCompletion,
} from "../../../src/core/node/completion.ts";
import { layoutOf } from "../../../src/core/node/node-reader.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import type { Change } from "./change.ts";
import type { OwnNodes } from "./own-nodes.ts";
import { moveBack, placeOf } from "./place-of-node.ts";
import type { PlaceVersions } from "./place-versions.ts";
import type { Restored, Trash, Trashed } from "./trash.ts";

type Of<K extends Change["kind"]> = Extract<Change, { readonly kind: K }>;

/**
 * Does the opposite of changes, by new operations on the outline as it is now. What others have
 * changed since is left alone: then there is no opposite, or a smaller one.
 */
export class Reversal {
  readonly #outline: Outline;
  readonly #own: OwnNodes;
  readonly #places: PlaceVersions;
  readonly #trash: Trash;

  constructor(outline: Outline, own: OwnNodes, places: PlaceVersions, trash: Trash) {
    this.#outline = outline;
    this.#own = own;
    this.#places = places;
    this.#trash = trash;
  }

  /** Inside a transaction. Answers what was done, which can be reversed again. */
  reverse(change: Change): Change | undefined {
    switch (change.kind) {
      case "created":
        return this.#unmake(change);
      case "restored":
        return this.#putBack(change);
      case "trashed":
        return this.#takeBack(change);
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

  #unmake({ keys }: Of<"created">): Trashed | undefined {
    const trashed = this.#trash.put(this.#own.ownSubtrees(keys));
    return trashed && { ...trashed, made: keys };
  }

  /** A node goes back as a whole or not at all: what was in it is not only ours. */
  #putBack(change: Restored): Trashed | undefined {
    const own = new Set(this.#own.ownSubtrees(change.keys));
    return this.#trash.putBack(change.nodes.filter(({ key }) => own.has(key)));
  }

  #takeBack(change: Trashed): Of<"created"> | Restored | undefined {
    const restored = this.#trash.takeBack(change);
    if (restored === undefined) return undefined;
    return change.made === undefined ? restored : { kind: "created", keys: change.made };
  }

  #moveBack({ key, from, fromVersion, toVersion }: Of<"moved">): Of<"moved"> | undefined {
    const now = placeOf(this.#outline, key);
    if (now === undefined || this.#places.of(key) !== toVersion) return undefined;
    if (!moveBack(this.#outline, key, from)) return undefined;
    this.#places.returnedTo(key, fromVersion);
    return { kind: "moved", key, from: now, fromVersion: toVersion, toVersion: fromVersion };
  }

  #complete({ key, from, to }: Of<"completed">): Of<"completed"> | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    if (text === undefined || completedAtOf(text) !== to) return undefined;
    if (!this.#outline.has(key)) return undefined;
    const before = readCompletion(text);
    const nowSec = Math.floor(this.#outline.now() / 1000);
    // It was completed when it was, not now; that it is so again was said now.
    const after =
      from === null ? completionAfter(before, false, nowSec) : completedAgain(before, from, nowSec);
    writeCompletion(text, after);
    return { kind: "completed", key, from: to, to: from };
  }

  #layOut({ key, from, to }: Of<"layout">): Of<"layout"> | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    if (text === undefined || layoutOf(text) !== to) return undefined;
    if (this.#outline.update(key, { layout: from }).kind !== "ok") return undefined;
    return { kind: "layout", key, from: to, to: from };
  }

  #point({ entry, from, to }: Of<"shortcut">): Of<"shortcut"> | undefined {
    if (this.#outline.storedShortcuts().get(entry) !== to) return undefined;
    this.#outline.writeShortcut(entry, from);
    return { kind: "shortcut", entry, from: to, to: from };
  }
}
