import * as Y from "yjs";
import {
  joinCompletions,
  readCompletion,
  writeCompletion,
} from "../../../src/core/node/completion.ts";
import { isOfItsOwnTime } from "../../../src/core/node/modified-at.ts";
import { isSame } from "../../../src/core/merge/gap.ts";
import { isSeedClient, seedOfClient } from "../../../src/core/calendar/month-seed.ts";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { contradictsKnown } from "../../../src/core/updates/struct-contradiction.ts";
import {
  ATTRIBUTE,
  marksOf,
  metaOf,
  nodesOf,
  ownerOf,
  shortcutsOf,
  textIn,
  textOf,
  valueOf,
} from "../../../src/core/schema.ts";
import { sameRichText } from "../../../src/core/text/rich-text.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import { TimeMarks } from "../../../src/core/node/time-marks.ts";
import { isWrittenLater } from "../../../src/core/node/timed-value.ts";
import { FROM_ELSEWHERE } from "../load-replica.ts";
import { fillIn } from "./fill-in.ts";
import { changesFromAlike, livingItem, textChanges } from "./text-changes.ts";
import { UnsentStructs } from "./unsent-structs.ts";
import { holderOf, itemsByKey } from "../../../src/core/yjs/inside.ts";
import {
  clockOf,
  itemsBetween,
  structAt,
  structsBetween,
} from "../../../src/core/yjs/struct-store.ts";

interface Rewritten {
  readonly nowSec: number;
  readonly neverSent?: ReadonlySet<Uint8Array>;
}

/**
 * Makes the edits of unsent updates once more, under the client id of another replica, because they
 * can't be saved under the one they have (docs/sync-protocol.md, "Unsent structs under an id that was
 * replaced").
 *
 * It is found out what the updates did to the old replica, and the same is done to the new one: nodes
 * and notes that they made are made, values that they set are set, and texts get the difference
 * between what they said before and what they say now, so that what others wrote since stays.
 *
 * @param old has the updates applied, or waiting for what only the server has
 * @param fresh has what the server has
 * @param nowSec dates what is written
 * @param neverSent those of the updates that the server can't have: where it has something that can't
 *   be compared any more under their ids, a copy has written that
 * @returns the update that says it all; undefined when there was nothing to do
 */
export function writeAnew(
  old: Y.Doc,
  updates: readonly Uint8Array[],
  fresh: Y.Doc,
  { nowSec, neverSent = new Set() }: Rewritten,
): Uint8Array | undefined {
  const unsaved = updates.filter((update) => !isKnown(fresh, update, neverSent.has(update)));
  const unsent = new UnsentStructs(unsaved, (struct, update) =>
    isThere(fresh, struct, neverSent.has(update)),
  );
  fillIn(old, fresh, unsent, FROM_ELSEWHERE);
  const made: Uint8Array[] = [];
  const collect = (update: Uint8Array): void => {
    made.push(update);
  };
  fresh.on("update", collect);
  for (const client of unsent.seeds) {
    const seed = seedOfClient(client);
    if (seed !== undefined) Y.applyUpdate(fresh, seed);
  }
  const touched = touchedTypes(old, unsent);
  if (touched.size > 0) {
    fresh.transact(() => new Rewriting(old, unsent, fresh, nowSec).run(touched));
  }
  fresh.off("update", collect);
  return made.length === 0 ? undefined : Y.mergeUpdates(made);
}

/** Whether the server has an update: only the acknowledgement was lost, or a copy has sent it. */
function isKnown(fresh: Y.Doc, update: Uint8Array, isNeverSent: boolean): boolean {
  const { structs, ds } = Y.decodeUpdate(update);
  return (
    structs.every((struct) => isThere(fresh, struct, isNeverSent)) &&
    [...ds.clients].every(([client, ranges]) =>
      ranges.every(({ clock, len }) => {
        for (let at = clock; at < clock + len; at++) {
          if (livingItem(fresh, Y.createID(client, at)) !== undefined) return false;
        }
        return true;
      }),
    )
  );
}

/** Whether a struct is there as it was written. */
function isThere(fresh: Y.Doc, struct: Y.Item | Y.GC | Y.Skip, isNeverSent: boolean): boolean {
  const { id, length } = struct;
  if (id.clock + length > clockOf(fresh, id.client)) return false;
  if (isNeverSent && !isSeedClient(id.client) && isDeletedIn(fresh, struct)) return false;
  const known = structAt(fresh, id.client, id.clock);
  const isItem = struct instanceof Y.Item && known instanceof Y.Item;
  return isItem && !contradictsKnown(fresh, struct);
}

/** Whether something of a struct was deleted. */
function isDeletedIn(
  doc: Y.Doc,
  { id: { client, clock }, length }: Y.Item | Y.GC | Y.Skip,
): boolean {
  for (const known of structsBetween(doc, client, clock, clock + length)) {
    if (known.deleted) return true;
  }
  return false;
}

type SharedType = Y.Item["parent"];

/** The types in which something was written or deleted. */
function touchedTypes(doc: Y.Doc, { written, deleted }: UnsentStructs): Set<SharedType> {
  const touched = new Set<SharedType>();
  for (const [client, ranges] of [...written, ...deleted]) {
    for (const { from, to } of ranges) {
      for (const { parent } of itemsBetween(doc, client, from, to)) touched.add(parent);
    }
  }
  return touched;
}

class Rewriting {
  readonly #old: Y.Doc;
  readonly #unsent: UnsentStructs;
  readonly #fresh: Y.Doc;
  readonly #nowSec: number;
  /** Of the old replica. */
  readonly #marks: TimeMarks;
  /** Nodes that the fresh replica did not have. */
  readonly #made = new Set<string>();

  constructor(old: Y.Doc, unsent: UnsentStructs, fresh: Y.Doc, nowSec: number) {
    this.#old = old;
    this.#unsent = unsent;
    this.#fresh = fresh;
    this.#nowSec = nowSec;
    this.#marks = new TimeMarks(marksOf(old));
    inOneGo(this.#marks.read());
  }

  run(touched: ReadonlySet<SharedType>): void {
    marksOf(this.#fresh).push([this.#nowSec]);
    const oldNodes = nodesOf(this.#old);
    if (touched.has(oldNodes)) this.#makeNodes(oldNodes);
    this.#copyValues(shortcutsOf(this.#old), shortcutsOf(this.#fresh), touched);
    this.#copyValues(metaOf(this.#old), metaOf(this.#fresh), touched);
    const notes: Y.Text[] = [];
    for (const type of touched) {
      if (!(type instanceof Y.Text)) continue;
      const owner = ownerOf(oldNodes, type);
      if (owner?.isNode === true) this.#rewriteNode(owner.key, type);
      else if (owner !== undefined) notes.push(type);
    }
    // Only now every note has the node that it belongs to.
    for (const note of notes) this.#rewriteNote(note);
  }

  #makeNodes(oldNodes: Y.Map<Y.Text>): void {
    const nodes = nodesOf(this.#fresh);
    for (const [key, item] of itemsByKey(oldNodes)) {
      const isNew = !item.deleted && this.#unsent.hasWritten(item.id);
      const old = isNew ? textIn(item) : undefined;
      // One that is there no more was deleted for good: nobody brings it back.
      if (old === undefined || itemsByKey(nodes).has(key)) continue;
      const text = new Y.Text();
      nodes.set(key, text);
      this.#copyWhole(old, text);
      this.#made.add(key);
    }
  }

  /** Where there was nothing, all is written, and not only what this device wrote. */
  #copyWhole(old: Y.Text, text: Y.Text): void {
    writeRichText(text, readRichText(old));
    for (const [name, item] of itemsByKey(old)) {
      if (item.deleted) continue;
      const oldNote = name.startsWith(ATTRIBUTE.notePrefix) ? textIn(item) : undefined;
      if (oldNote === undefined) text.setAttribute(name, this.#valueAnew(old, name, item));
      else {
        const note = new Y.Text();
        text.setAttribute(name, note);
        writeRichText(note, readRichText(oldNote));
      }
    }
  }

  #copyValues<T>(from: Y.Map<T>, to: Y.Map<T>, touched: ReadonlySet<SharedType>): void {
    if (!touched.has(from)) return;
    for (const [name, item] of itemsByKey(from)) {
      const value = from.get(name);
      if (value !== undefined && this.#unsent.hasWritten(item.id)) {
        if (!isWrittenLater(to.get(name), value)) to.set(name, value);
      } else if (this.#isDeletionUnsent(item)) to.delete(name);
    }
  }

  #rewriteNode(key: string, old: Y.Text): void {
    const text = textOf(nodesOf(this.#fresh), key);
    if (text === undefined || this.#made.has(key)) return;
    this.#rewriteText(old, text);
    for (const [name, item] of itemsByKey(old)) {
      if (this.#isDeletionUnsent(item)) text.removeAttribute(name);
      if (item.deleted || !this.#unsent.hasWritten(item.id)) continue;
      if (name === ATTRIBUTE.completed) {
        writeCompletion(text, joinCompletions(readCompletion(text), readCompletion(old)));
      } else if (name === ATTRIBUTE.completions) {
        // Written with the completion that it belongs to.
        continue;
      } else if (!name.startsWith(ATTRIBUTE.notePrefix)) {
        const value = this.#valueAnew(old, name, item);
        if (!isWrittenLater(valueOf(text, name), value)) text.setAttribute(name, value);
      } else if (textAt(text, name) === undefined) text.setAttribute(name, new Y.Text());
    }
  }

  /**
   * What an attribute is to say. A stamp that says when it was written would keep that time for all
   * that is written anew before it; one of an import stays.
   */
  #valueAnew(old: Y.Text, name: string, item: Y.Item): unknown {
    const isStamp = name === ATTRIBUTE.modified && isOfItsOwnTime(item, this.#marks);
    return isStamp ? this.#nowSec : valueOf(old, name);
  }

  #rewriteNote(old: Y.Text): void {
    const item = holderOf(old);
    const node = item?.parent instanceof Y.Text ? ownerOf(nodesOf(this.#old), item.parent) : null;
    if (node === null || node === undefined || this.#made.has(node.key)) return;
    const text = textOf(nodesOf(this.#fresh), node.key);
    const note = text && textAt(text, item?.parentSub ?? "");
    if (note) this.#rewriteText(old, note);
  }

  #rewriteText(old: Y.Text, text: Y.Text): void {
    const wanted = readRichText(old);
    const there = readRichText(text);
    // Somebody has written the same.
    if (sameRichText(wanted, there)) return;
    const isSameText = isSame(holderOf(old)?.id ?? null, holderOf(text)?.id ?? null);
    const changes = isSameText
      ? textChanges(old, text, this.#unsent)
      : changesFromAlike(wanted, there);
    writeRichText(text, wanted, changes.base, changes);
  }

  /** Whether an entry was deleted by the updates, nothing was put there, and it lives elsewhere. */
  #isDeletionUnsent(item: Y.Item): boolean {
    if (!item.deleted || this.#unsent.hasWritten(item.id)) return false;
    return this.#unsent.hasDeleted(item.id) && livingItem(this.#fresh, item.id) !== undefined;
  }
}

function textAt(text: Y.Text, name: string): Y.Text | undefined {
  const item = itemsByKey(text).get(name);
  return item === undefined ? undefined : textIn(item);
}
