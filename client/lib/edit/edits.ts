import type * as Y from "yjs";
import type { Layout } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { NewNode } from "../../../src/core/node/new-node.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Refusal } from "../../../src/core/refusal.ts";
import type { TextPart } from "../../../src/core/node/text-part.ts";
import type { Formats, FormatValue } from "../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

export type { TextPart };

/** A change of a text at one place. Offsets and lengths are in UTF-16 units. */
export interface TextEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
  /** Formats of what is inserted; absent: those of the character before. */
  readonly formats?: Formats;
}

/** Why an edit was not made. Nothing has changed then. */
export type EditRefusal =
  | Refusal
  /** The inbox and the nodes of the calendar are neither cut nor joined with others. */
  | { readonly kind: "system_node" }
  /** A mirror is not joined with other lines: its text is in other places too. */
  | { readonly kind: "mirror" }
  /** Not an address that a link may carry. */
  | { readonly kind: "invalid_link" }
  /**
   * A name or a note would be longer than the server takes, `MAX_TEXT_LENGTH` UTF-16 units, or have
   * more formats: `MAX_MARKS`.
   */
  | { readonly kind: "text_too_long" };

export type Made = { readonly kind: "created"; readonly key: NodeKey };
export type MadeMany = { readonly kind: "created"; readonly keys: readonly NodeKey[] };
type Done = { readonly kind: "ok" };
/** `key` is the node that is left, `at` where the texts meet in its name. */
export type Joined = { readonly kind: "ok"; readonly key: NodeKey; readonly at: number };

/**
 * What a person does in an editor. Each call is one transaction of this device and one step of the
 * history (typing in one text within half a second is one step together). A refusal changed nothing.
 * Once the replica is closed, or another outline has taken the place of this one, every edit throws.
 */
export interface Edits {
  /**
   * The text that an editor shows and follows: the name, or the first note that says anything. A note
   * is made when there is none and `make` says so, and what several authors began becomes one.
   */
  text(key: NodeKey, part: TextPart, make?: boolean): Y.Text | undefined;
  /** Types at a place. It never splits a character; control characters are left out. */
  type(key: NodeKey, part: TextPart, edit: TextEdit): Done | EditRefusal;
  /** Sets a format from `from` to `to`; null takes it away. */
  format(
    key: NodeKey,
    part: TextPart,
    range: { readonly from: number; readonly to: number },
    name: string,
    value: FormatValue | null,
  ): Done | EditRefusal;
  /**
   * Gives the links to a node, where nodes have them that are named here, the name that it has now: those
   * that go by one of its earlier link texts. No step of the history.
   */
  followName(
    target: NodeKey,
    earlier: ReadonlySet<string>,
    sources: Iterable<NodeKey>,
  ): Done | Refusal;
  /** @param wanted a free key for it */
  create(input: NewNode, wanted?: NodeKey): Made | EditRefusal;
  /** Makes a mirror of a node; `invalid_parent` in that node itself. Edits of a mirror's texts are its origin's. */
  mirror(of: NodeKey, to: Destination): Made | EditRefusal;
  /**
   * Cuts a name: what is behind `at` becomes the name of a new node at `to`, formats and all. A to-do
   * item makes an open to-do item.
   */
  split(key: NodeKey, at: number, to: Destination): Made | EditRefusal;
  /**
   * Appends the name (and note) of `key` to `into`, moves its children there, and trashes it. When
   * `into` is empty it is trashed instead, so that links to the node with the text live on.
   */
  join(key: NodeKey, into: NodeKey): Joined | EditRefusal;
  /** Moves siblings, in this order, next to each other. */
  move(keys: readonly NodeKey[], to: Destination): Done | Refusal;
  /**
   * Puts children of a node into this order; as few as possible are moved, and those that are not named
   * keep theirs. `not_found` when one is no visible child of it.
   */
  arrange(parent: NodeKey, order: readonly NodeKey[]): Done | Refusal;
  complete(keys: readonly NodeKey[], completed: boolean): Done | Refusal;
  layout(keys: readonly NodeKey[], layout: Layout): Done | Refusal;
  /** Into the trash. */
  trash(keys: readonly NodeKey[]): Done | Refusal;
  restore(key: NodeKey): Done | Refusal;
  /** Deletes for good what is in the trash. No step of the history. */
  purge(keys: readonly NodeKey[]): Done | Refusal;
  /** Copies of nodes with everything below them, behind the last one of them. */
  duplicate(keys: readonly NodeKey[]): MadeMany | EditRefusal;
  /**
   * Puts a forest into the outline, as one step. Answers its top nodes. A node keeps the key it wishes
   * for where no node has or had it; the inbox and the nodes of the calendar are at their own places,
   * there already or made, whatever they are below in the forest.
   */
  insert(entries: readonly OutlineEntry[], to: Destination): MadeMany | EditRefusal;
  setShortcut(shortcut: string, node: NodeKey): Done | Refusal;
  removeShortcut(shortcut: string): Done | Refusal;
}
