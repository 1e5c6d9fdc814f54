import type * as Y from "yjs";
import type { Layout } from "../../../src/core/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination, NewNode } from "../../../src/core/outline.ts";
import type { Refusal } from "../../../src/core/refusal.ts";
import type { Formats, FormatValue } from "../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

export type TextPart = "name" | "note";

/** A change of a text at one place. Offsets and lengths are in UTF-16 units. */
export interface TextEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
  /** Formats of what is inserted; absent: those of the character before. */
  readonly formats?: Formats;
}

type Made = { readonly kind: "created"; readonly key: NodeKey };
type Done = { readonly kind: "ok" };

/**
 * What a person does in an editor. Each call is one transaction of this device and one step of the
 * history (typing in one text within half a second is one step together). A refusal changed nothing.
 */
export interface Edits {
  /** The text that an editor shows and follows; a note is made when there is none and `make` says so. */
  text(key: NodeKey, part: TextPart, make?: boolean): Y.Text | undefined;
  type(key: NodeKey, part: TextPart, edit: TextEdit): Done | Refusal;
  /** Sets a format from `from` to `to`; null takes it away. */
  format(
    key: NodeKey,
    part: TextPart,
    range: { from: number; to: number },
    name: string,
    value: FormatValue | null,
  ): Done | Refusal;
  create(input: NewNode): Made | Refusal;
  /** Cuts a name: what is behind `at` becomes the name of a new node at `to`. Formats stay. */
  split(key: NodeKey, at: number, to: Destination): Made | Refusal;
  /** Appends the name (and note) of `key` to `into`, moves its children there, and trashes it. Answers where the texts meet. */
  join(key: NodeKey, into: NodeKey): { readonly kind: "ok"; readonly at: number } | Refusal;
  /** Moves siblings, in this order, next to each other. */
  move(keys: readonly NodeKey[], to: Destination): Done | Refusal;
  complete(keys: readonly NodeKey[], completed: boolean): Done | Refusal;
  layout(keys: readonly NodeKey[], layout: Layout): Done | Refusal;
  /** Into the trash. */
  trash(keys: readonly NodeKey[]): Done | Refusal;
  restore(key: NodeKey): Done | Refusal;
  /** Deletes for good what is in the trash. */
  purge(keys: readonly NodeKey[]): Done | Refusal;
  /** Copies of nodes with everything below them, behind the last one of them. */
  duplicate(
    keys: readonly NodeKey[],
  ): { readonly kind: "created"; readonly keys: readonly NodeKey[] } | Refusal;
  /** Puts a forest into the outline, as one step. Answers its top nodes. */
  insert(
    entries: readonly OutlineEntry[],
    to: Destination,
  ): { readonly kind: "created"; readonly keys: readonly NodeKey[] } | Refusal;
  setShortcut(shortcut: string, node: NodeKey): Done | Refusal;
  removeShortcut(shortcut: string): Done | Refusal;
}
