import type * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import { LiveEntries } from "../live-entries.ts";
import { LiveMirrors } from "../tree/live-mirrors.ts";
import { MAX_MIRRORS } from "../tree/mirror-rows.ts";
import type { OutlineFull } from "../room/outline-full.ts";
import { ATTRIBUTE, entryOf, shortcutsOf } from "../schema.ts";
import { MAX_SHORTCUTS } from "../shortcut-list.ts";
import { isSharedType, type ListPlace, type Owner } from "./update-places.ts";
import type { StructRecord } from "./update-reader.ts";
import { itemsByKey } from "../yjs/inside.ts";

/**
 * Names that the settings, a node or a note may have besides the usual ones, those that were taken
 * away again among them. A newer version may know more than this one; nobody makes up names.
 */
const MAX_NAMES = 64;
/** What others add at the same time is let through. */
const MAX_SHORTCUTS_OF_ALL = 2 * MAX_SHORTCUTS;
const MAX_MIRRORS_OF_ALL = 2 * MAX_MIRRORS;

const USUAL: ReadonlySet<string> = new Set([
  ATTRIBUTE.placement,
  ATTRIBUTE.layout,
  ATTRIBUTE.origin,
  ATTRIBUTE.completed,
  ATTRIBUTE.completions,
  ATTRIBUTE.deletion,
  ATTRIBUTE.modified,
]);

/**
 * Holds an update to the number of entries that maps may have: shortcuts, settings, and the attributes
 * of nodes and notes, and to the number of mirrors. What is there may be set anew and taken away, however
 * many there are.
 */
export class AddedEntries {
  readonly #doc: Y.Doc;
  readonly #names = new Map<Owner, Set<string>>();
  readonly #shortcuts = new Set<string>();
  readonly #mirrors = new Set<Owner>();

  constructor(doc: Y.Doc) {
    this.#doc = doc;
  }

  /** Answers why the update is refused for a struct; undefined when it is not. */
  add(
    { content }: StructRecord,
    { list, owner, sub }: ListPlace,
  ): "too_large" | OutlineFull | undefined {
    if (sub === null || owner === undefined) return undefined;
    if (list === "keys") {
      return content.kind === "deleted" ? undefined : this.#addShortcut(owner, sub);
    }
    if (list === "name" && sub === ATTRIBUTE.origin && content.kind !== "deleted") {
      return this.#addMirror(owner);
    }
    if (list === "nodes" || list === "gone" || USUAL.has(sub)) return undefined;
    if (isSharedType(owner) && itemsByKey(owner).has(sub)) return undefined;
    const names = getOrMake(this.#names, owner, () => new Set()).add(sub);
    const before = isSharedType(owner) ? itemsByKey(owner).size : 0;
    return before + names.size > MAX_NAMES ? "too_large" : undefined;
  }

  #addMirror(owner: Owner): OutlineFull | undefined {
    if (isSharedType(owner) && entryOf(owner, ATTRIBUTE.origin) !== undefined) return undefined;
    this.#mirrors.add(owner);
    const has = LiveMirrors.of(this.#doc).count;
    const adds = this.#mirrors.size;
    if (has + adds <= MAX_MIRRORS_OF_ALL) return undefined;
    return { kind: "outline_full", quota: "mirrors", has, adds, limit: MAX_MIRRORS_OF_ALL };
  }

  #addShortcut(owner: Owner, name: string): OutlineFull | undefined {
    if (isSharedType(owner) && entryOf(owner, name) !== undefined) return undefined;
    this.#shortcuts.add(name);
    const has = LiveEntries.of(this.#doc, shortcutsOf(this.#doc)).count;
    const adds = this.#shortcuts.size;
    if (has + adds <= MAX_SHORTCUTS_OF_ALL) return undefined;
    return { kind: "outline_full", quota: "shortcuts", has, adds, limit: MAX_SHORTCUTS_OF_ALL };
  }
}
