import type * as Y from "yjs";
import { FormatCounts } from "../../../src/core/updates/format-counts.ts";
import type { Layout } from "../../../src/core/node/layout.ts";
import { completedAtOf } from "../../../src/core/node/completion.ts";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { followName } from "../../../src/core/link-names.ts";
import { layoutOf } from "../../../src/core/node/node-reader.ts";
import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { NewNode } from "../../../src/core/node/new-node.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { Planter, type Seedling } from "../../../src/core/calendar/planter.ts";
import {
  INVALID_PARENT,
  NOT_FOUND,
  OK,
  type Done,
  type Refusal,
} from "../../../src/core/refusal.ts";
import { nodesOf, notesOf, textOf } from "../../../src/core/schema.ts";
import type { Position } from "../../../src/core/tree/sibling-gap.ts";
import { isRecovered, rankIn, type TreeRow } from "../../../src/core/tree/tree-row.ts";
import { allowedHref } from "../../../src/core/text/href.ts";
import type { FormatValue } from "../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { originsIn } from "../../../src/formats/origins-in.ts";
import { seedlingOfEntry } from "../../../src/formats/seedling-of-entry.ts";
import { MAX_MARKS, MAX_TEXT_LENGTH } from "../../../src/core/text/text-limits.ts";
import type { EditRefusal, Edits, Joined, Made, MadeMany, TextEdit, TextPart } from "./edits.ts";
import { copiesOf } from "./copies-of.ts";
import { joinNodes, splitNode } from "./name-surgery.ts";
import { keptInOrder } from "./kept-in-order.ts";
import { placeOf } from "./place-of-node.ts";
import { type Joining, refusalOfJoin } from "./refusal-of-join.ts";
import { besideOthers } from "./siblings-to-move.ts";
import { LOCAL_EDIT } from "./text-undo.ts";
import { growsTooLong, isTooLongEntry, isTooLongSeedling, TEXT_TOO_LONG } from "./text-too-long.ts";
import { applyTyping, wholeCharacters } from "./typed-text.ts";
import type { UndoHistory } from "./undo-history.ts";

export interface LocalEditsPorts {
  readonly outline: Outline;
  /** Learns of every edit. */
  readonly history: UndoHistory;
}

/** The edits of this device, each one transaction and recorded in its history. */
export class LocalEdits implements Edits {
  readonly #outline: Outline;
  readonly #history: UndoHistory;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #counts: FormatCounts;
  readonly #joining: Joining;

  constructor({ outline, history }: LocalEditsPorts) {
    this.#outline = outline;
    this.#history = history;
    this.#nodes = nodesOf(outline.doc);
    this.#counts = FormatCounts.of(outline.doc);
    const text: Joining["text"] = (key, part) => this.text(key, part);
    this.#joining = { outline, counts: this.#counts, text };
  }

  text(key: NodeKey, part: TextPart, make = false): Y.Text | undefined {
    const text = this.#visibleText(key);
    if (text === undefined || part === "name") return text;
    const notes = notesOf(text);
    const filled = notes.filter((note) => note.length > 0);
    if (!make || filled.length === 1) return filled[0] ?? notes[0];
    this.#history.assertOpen();
    let made: Y.Text | undefined;
    // Not a local edit: an empty note is no step, and nothing is undone by taking it away.
    this.#outline.editText(key, "note", (note) => {
      made = note;
    });
    return made;
  }

  type(shown: NodeKey, part: TextPart, edit: TextEdit): Done | EditRefusal {
    const key = this.#outline.heldBy(shown);
    if (growsTooLong(this.text(key, part)?.length ?? 0, edit)) return TEXT_TOO_LONG;
    return this.#history.typing(key, part, () =>
      this.#transact(() =>
        this.#outline.editText(key, part, (text) => {
          applyTyping(text, edit, this.#isFull(text));
        }),
      ),
    );
  }

  format(
    key: NodeKey,
    part: TextPart,
    range: { readonly from: number; readonly to: number },
    name: string,
    value: FormatValue | null,
  ): Done | EditRefusal {
    const isAddress = name === "a" && typeof value === "string";
    const checked = isAddress ? allowedHref(value) : value;
    if (checked === undefined) return { kind: "invalid_link" };
    const formatted = this.text(key, part);
    if (formatted === undefined) return NOT_FOUND;
    if (this.#isFull(formatted)) return TEXT_TOO_LONG;
    return this.#step(() =>
      this.#outline.editText(key, part, (text) => {
        const { from, to } = wholeCharacters(text, range);
        if (to > from) text.format(from, to - from, { [name]: checked });
      }),
    );
  }

  followName(
    target: NodeKey,
    earlier: ReadonlySet<string>,
    sources: Iterable<NodeKey>,
  ): Done | Refusal {
    this.#history.assertOpen();
    // Not a local edit: undoing the new name lets the links follow back.
    this.#outline.doc.transact(() => followName(this.#outline, target, earlier, sources));
    return OK;
  }

  create(input: NewNode, wanted?: NodeKey): Made | EditRefusal {
    if (Math.max(input.name.length, input.note?.length ?? 0) > MAX_TEXT_LENGTH) {
      return TEXT_TOO_LONG;
    }
    return this.#step(() => {
      const result = this.#outline.create(input, wanted);
      if (result.kind === "created") {
        const keys = [result.key, ...this.#outline.childKeys(result.key)];
        this.#history.record({ kind: "created", keys });
      }
      return result;
    });
  }

  mirror(of: NodeKey, to: Destination): Made | EditRefusal {
    return this.#step(() => {
      const result = this.#outline.mirror(of, to);
      if (result.kind === "created") this.#history.record({ kind: "created", keys: [result.key] });
      return result;
    });
  }

  split(shown: NodeKey, at: number, to: Destination): Made | EditRefusal {
    const key = this.#outline.heldBy(shown);
    const text = this.#visibleText(key);
    if (text === undefined) return NOT_FOUND;
    if (isReservedKey(key) && at < text.length) return { kind: "system_node" };
    if (text.length - Math.max(0, at) > MAX_TEXT_LENGTH) return TEXT_TOO_LONG;
    const refusal = this.#outline.checkDestination(to);
    if (refusal !== undefined) return refusal;
    return this.#step(() => {
      const made = splitNode(this.#outline, key, at, to);
      this.#history.record({ kind: "created", keys: [made] });
      return { kind: "created", key: made };
    });
  }

  join(key: NodeKey, into: NodeKey): Joined | EditRefusal {
    const refusal = refusalOfJoin(this.#joining, key, into);
    if (refusal !== undefined) return refusal;
    return this.#step(() => {
      if (!isReservedKey(into) && this.#isEmpty(into)) {
        this.#trash([into]);
        return { kind: "ok", key, at: 0 };
      }
      const at = this.text(into, "name")?.length ?? 0;
      joinNodes(this.#outline, key, into);
      const children = this.#outline.childKeys(key);
      const isInside = this.#outline.tree.rowAt(key)?.parent?.key === into;
      this.#move(children, { parent: into, position: isInside ? { after: key } : "bottom" });
      this.#trash([key]);
      return { kind: "ok", key: into, at };
    });
  }

  move(keys: readonly NodeKey[], to: Destination): Done | Refusal {
    const refusal = this.#refusalOfMove(keys, to);
    if (refusal !== undefined) return refusal;
    return this.#step(() => this.#move(keys, to));
  }

  arrange(parent: NodeKey, order: readonly NodeKey[]): Done | Refusal {
    const rows = order.map((key) => this.#outline.tree.visibleRow(key));
    const held = this.#outline.heldBy(parent);
    if (rows.some((row) => row?.parent?.key !== held)) return NOT_FOUND;
    const kept = keptInOrder(rows.map((row) => row && rankToKeep(row)));
    return this.#step(() => {
      let position: Position = "top";
      for (const [place, key] of order.entries()) {
        const moved = kept.has(place) ? OK : this.#move([key], { parent, position });
        if (moved.kind !== "ok") return moved;
        position = { after: key };
      }
      return OK;
    });
  }

  complete(keys: readonly NodeKey[], completed: boolean): Done | Refusal {
    return this.#each(keys, (shown, text) => {
      const key = this.#outline.heldBy(shown);
      const from = completedAtOf(text);
      this.#outline.setCompleted(key, completed);
      const to = completedAtOf(text);
      if (from !== to) this.#history.record({ kind: "completed", key, from, to });
    });
  }

  layout(keys: readonly NodeKey[], layout: Layout): Done | Refusal {
    return this.#each(keys, (shown, text) => {
      const key = this.#outline.heldBy(shown);
      const from = layoutOf(text);
      this.#outline.update(key, { layout });
      if (from !== layout) this.#history.record({ kind: "layout", key, from, to: layout });
    });
  }

  trash(keys: readonly NodeKey[]): Done | Refusal {
    if (!keys.every((key) => this.#outline.has(key))) return NOT_FOUND;
    return this.#step(() => {
      this.#trash(keys);
      return OK;
    });
  }

  restore(key: NodeKey): Done | Refusal {
    return this.#step(() => {
      const restored = this.#history.trash.take(key);
      if (restored === undefined) return NOT_FOUND;
      this.#history.record(restored);
      return OK;
    });
  }

  purge(keys: readonly NodeKey[]): Done | Refusal {
    const trashed = new Set(this.#outline.trashedKeys());
    if (!keys.every((key) => trashed.has(key))) return NOT_FOUND;
    return this.#transact(() => {
      for (const key of keys) this.#history.trash.discard(key);
      return OK;
    });
  }

  duplicate(keys: readonly NodeKey[]): MadeMany | EditRefusal {
    const last = keys.at(-1);
    const parent = last && placeOf(this.#outline, last)?.parent;
    if (last === undefined || parent === undefined) return NOT_FOUND;
    if (!keys.every((key) => this.#outline.has(key))) return NOT_FOUND;
    const copies = copiesOf(this.#outline, keys);
    if (copies.some(isTooLongSeedling)) return TEXT_TOO_LONG;
    const full = this.#fullOfMirrors(copies);
    if (full !== undefined) return full;
    return this.#plant(copies, { parent, position: { after: last } });
  }

  insert(entries: readonly OutlineEntry[], to: Destination): MadeMany | EditRefusal {
    if (entries.some(isTooLongEntry)) return TEXT_TOO_LONG;
    const refusal = this.#outline.checkDestination(to);
    const refused = refusal ?? this.#fullOfMirrors(entries);
    if (refused !== undefined) return refused;
    return this.#plant(this.#seedlingsOf(entries), to);
  }

  setShortcut(shortcut: string, node: NodeKey): Done | Refusal {
    return this.#changeShortcuts(() => this.#outline.setShortcut(shortcut, node));
  }

  removeShortcut(shortcut: string): Done | Refusal {
    return this.#changeShortcuts(() => this.#outline.removeShortcut(shortcut));
  }

  #visibleText(key: NodeKey): Y.Text | undefined {
    return this.#outline.has(key) ? textOf(this.#nodes, this.#outline.heldBy(key)) : undefined;
  }

  /** Whether a text may get no more formats. */
  #isFull(text: Y.Text): boolean {
    return this.#counts.marksOf(text) >= MAX_MARKS;
  }

  #isEmpty(key: NodeKey): boolean {
    return (
      this.#outline.childCount(key) === 0 &&
      this.#outline.richText(key, "name").length === 0 &&
      this.#outline.richText(key, "note").length === 0
    );
  }

  #transact<T>(work: () => T): T {
    this.#history.assertOpen();
    return this.#outline.doc.transact(work, LOCAL_EDIT);
  }

  #step<T>(work: () => T): T {
    return this.#history.step(() => this.#transact(work));
  }

  #each(keys: readonly NodeKey[], work: (key: NodeKey, text: Y.Text) => void): Done | Refusal {
    if (!keys.every((key) => this.#outline.has(key))) return NOT_FOUND;
    return this.#step(() => {
      for (const key of keys) {
        const text = this.#visibleText(key);
        if (text !== undefined) work(key, text);
      }
      return OK;
    });
  }

  /** An outline holds only so many mirrors. */
  #fullOfMirrors(made: readonly { readonly origin?: NodeKey | undefined }[]): Refusal | undefined {
    const mirrors = made.filter(({ origin }) => origin !== undefined).length;
    return this.#outline.quota.take({ nodes: 0, bytes: 0, mirrors, isUpkeep: true });
  }

  /** Each is read when the ones before are made. */
  *#seedlingsOf(entries: readonly OutlineEntry[]): Generator<Seedling> {
    const origins = originsIn(this.#outline, entries);
    for (const entry of entries) yield inOneGo(seedlingOfEntry(this.#outline, entry, origins));
  }

  #plant(seedlings: Iterable<Seedling>, to: Destination): MadeMany {
    return this.#step(() => {
      const planter = new Planter(this.#outline, to);
      for (const seedling of seedlings) planter.add(seedling);
      inOneGo(planter.finish());
      const { keys, tops } = planter;
      if (keys.length > 0) this.#history.record({ kind: "created", keys });
      return { kind: "created", keys: tops };
    });
  }

  #refusalOfMove(keys: readonly NodeKey[], to: Destination): Refusal | undefined {
    if (!keys.every((key) => this.#outline.has(key))) return NOT_FOUND;
    const parent = this.#outline.heldBy(to.parent);
    if (keys.some((key) => this.#outline.contains(key, parent))) return INVALID_PARENT;
    return this.#outline.checkDestination(to);
  }

  #move(keys: readonly NodeKey[], to: Destination): Done | Refusal {
    let position = besideOthers(this.#outline, keys, to);
    const { places } = this.#history;
    for (const key of keys) {
      const from = placeOf(this.#outline, key);
      const fromVersion = places.of(key);
      const result = this.#outline.move(key, { parent: to.parent, position });
      if (result.kind !== "ok") return result;
      const toVersion = places.of(key);
      if (from !== undefined && toVersion !== fromVersion) {
        this.#history.record({ kind: "moved", key, from, fromVersion, toVersion });
      }
      position = { after: key };
    }
    return OK;
  }

  #trash(keys: readonly NodeKey[]): void {
    const trashed = this.#history.trash.put(keys);
    if (trashed !== undefined) this.#history.record(trashed);
  }

  #changeShortcuts(work: () => Done | Refusal): Done | Refusal {
    return this.#step(() => {
      const before = this.#outline.storedShortcuts();
      const result = work();
      const after = this.#outline.storedShortcuts();
      for (const entry of new Set([...before.keys(), ...after.keys()])) {
        const [from, to] = [before.get(entry), after.get(entry)];
        if (from !== to) this.#history.record({ kind: "shortcut", entry, from, to });
      }
      return result;
    });
  }
}

/**
 * Where a row stands among its siblings; undefined when it can't stay where it is: nothing could be put
 * between it and the one before it.
 */
function rankToKeep(row: TreeRow): number | undefined {
  const siblings = row.parent?.children ?? [];
  const rank = rankIn(siblings, row);
  return isRecovered(row) || siblings[rank - 1]?.order === row.order ? undefined : rank;
}
