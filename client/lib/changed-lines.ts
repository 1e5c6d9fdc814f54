import * as Y from "yjs";
import { isSeedClient } from "../../src/core/calendar/month-seed.ts";
import { nodesOf, ownerOf } from "../../src/core/schema.ts";
import { itemsBetween } from "../../src/core/yjs/struct-store.ts";

/**
 * The keys of the nodes that an update has changed: their names, notes and attributes. What it has changed
 * beside nodes (stars, settings) and what a month of the calendar begins with has none. O(what is in it).
 *
 * @param update one that this program has encoded itself
 * @param doc has it; what it lacks of it is left out
 */
export function linesChangedBy(update: Uint8Array, doc: Y.Doc): ReadonlySet<string> {
  const nodes = nodesOf(doc);
  const lines = new Set<string>();
  const look = (client: number, from: number, end: number): void => {
    if (isSeedClient(client)) return;
    for (const { parent, parentSub } of itemsBetween(doc, client, from, end)) {
      if (!(parent instanceof Y.AbstractType)) continue;
      const key = Object.is(parent, nodes) ? parentSub : ownerOf(nodes, parent)?.key;
      if (typeof key === "string") lines.add(key);
    }
  };
  const { structs, ds } = Y.decodeUpdate(update);
  for (const { id, length } of structs) look(id.client, id.clock, id.clock + length);
  for (const [client, ranges] of ds.clients) {
    for (const { clock, len } of ranges) look(client, clock, clock + len);
  }
  return lines;
}

/** How many lines some updates have changed, each line once. An update is looked at once, when it is counted. */
export class ChangedLines {
  /** Not looked at yet: what they belong to may not be there. */
  readonly #unread = new Map<string, Uint8Array>();
  readonly #linesByName = new Map<string, ReadonlySet<string>>();
  /** How many updates have changed a line. */
  readonly #updatesByLine = new Map<string, number>();

  /** Adds an update under a name that no other one has. */
  add(name: string, update: Uint8Array): void {
    if (!this.#linesByName.has(name)) this.#unread.set(name, update);
  }

  delete(name: string): void {
    this.#unread.delete(name);
    for (const line of this.#linesByName.get(name) ?? []) {
      const left = (this.#updatesByLine.get(line) ?? 0) - 1;
      if (left > 0) this.#updatesByLine.set(line, left);
      else this.#updatesByLine.delete(line);
    }
    this.#linesByName.delete(name);
  }

  clear(): void {
    this.#unread.clear();
    this.#linesByName.clear();
    this.#updatesByLine.clear();
  }

  /** @param doc has the updates */
  count(doc: Y.Doc): number {
    for (const [name, update] of this.#unread) {
      const lines = linesChangedBy(update, doc);
      this.#linesByName.set(name, lines);
      for (const line of lines) {
        this.#updatesByLine.set(line, (this.#updatesByLine.get(line) ?? 0) + 1);
      }
    }
    this.#unread.clear();
    return this.#updatesByLine.size;
  }
}
