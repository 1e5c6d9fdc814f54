import { encodeDeletion, parseDeletion } from "../node/deletion-mark.ts";
import type { ItemId } from "../yjs/item-id.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { ATTRIBUTE, entryOf, nodesOf, stringAttribute, textOf } from "../schema.ts";
import { parseTimed } from "../node/timed-value.ts";

/**
 * Deletion marks that say to have seen everything, by clients of which the server knows better: they
 * deleted while they were away. What they had not seen is no part of the deletion.
 */
export class UnseenMarks {
  readonly #outline: Outline;
  /** By client the first update that it had not seen: those of what is about to be applied [Q40]. */
  readonly #clients = new Map<number, number>();
  /** By node the update up to which its deleter had seen the log [Q40]. */
  readonly #seen = new Map<NodeKey, number>();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  /** To be called before an update is applied that is written under these client ids. */
  note(clients: Iterable<number>, firstUnseen: number): void {
    for (const client of clients) this.#clients.set(client, firstUnseen);
  }

  /** To be called after a transaction of others that wrote a node's deletion mark. */
  observe(key: NodeKey): void {
    if (this.#clients.size === 0) return;
    const item = this.#markOf(key);
    const firstUnseen = item && this.#clients.get(item.client);
    if (firstUnseen !== undefined) this.#seen.set(key, firstUnseen - 1);
  }

  /** What is to be written, inside a transaction; and all that was noted is forgotten. */
  take(): readonly (() => void)[] {
    const writes = [...this.#seen].map(
      ([key, seen]) =>
        () =>
          this.#write(key, seen),
    );
    this.clear();
    return writes;
  }

  /** Forgets what has been noted: who deletes next may have seen more. */
  clear(): void {
    this.#seen.clear();
    this.#clients.clear();
  }

  #write(key: NodeKey, seen: number): void {
    const { doc, tree, treeWriter } = this.#outline;
    const text = textOf(nodesOf(doc), key);
    const register = text && stringAttribute(text, ATTRIBUTE.deletion);
    const mark = parseDeletion(register);
    const item = this.#markOf(key);
    const row = tree.rowAt(key);
    if (row === undefined || register === undefined || item === undefined) return;
    if (mark?.seen !== "everything") return;
    const { at, by = item.client } = parseTimed(register);
    const date = at === 0 ? this.#outline.dateOf(item) * 1000 : at;
    const time = { at: date, by };
    const said = { ...mark, seen, restates: mark.restates ?? item };
    treeWriter.rewriteDeletion(row, encodeDeletion(said, time));
  }

  #markOf(key: NodeKey): ItemId | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    return text && entryOf(text, ATTRIBUTE.deletion)?.id;
  }
}
