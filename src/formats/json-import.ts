import { BracketScan } from "./bracket-scan.ts";
import { EntryCollector } from "./entry-collector.ts";
import { isJsonObject, isNestedItem, type JsonItem, jsonItemOf } from "./json-item.ts";
import type { ImportLimits, OutlineReader, ReadResult } from "./outline-entry.ts";

/** A node has some: itself, its children, its layout, and what other programs keep with it. */
const MAX_BRACKETS_OF_NODE = 16;

/**
 * Reads outlines in JSON: the body of the API's export (`{"nodes": […]}` or the bare list, tied
 * together by `parent_id` and `priority`), and the nested lists of account backups (`nm`, `no`,
 * `ch`). Ids become wishes for keys; a node whose parent is not in the file stands at the top.
 */
export class JsonImport implements OutlineReader {
  readonly #entries: EntryCollector;
  readonly #brackets: BracketScan;
  /** The text so far; no longer than the file. [Q75] */
  #pieces: string[] = [];
  /** Nodes of the file that were looked at. */
  #count = 0;

  constructor(limits: ImportLimits) {
    this.#entries = new EntryCollector(limits, "node");
    this.#brackets = new BracketScan({
      // A level of a nested outline is an object in a list; around it are the list and its object.
      maxDepth: limits.maxDepth * 2 + 4,
      maxPairs: limits.maxNodes * MAX_BRACKETS_OF_NODE,
    });
  }

  push(piece: string): boolean {
    this.#pieces.push(piece);
    this.#brackets.push(piece);
    return this.#brackets.excess === undefined;
  }

  finish(): ReadResult {
    const { excess } = this.#brackets;
    if (excess === undefined) this.#read();
    else this.#entries.fail(undefined, excess);
    return this.#entries.result();
  }

  #read(): void {
    const list = listOf(this.#parsed());
    if (this.#entries.isBroken) return;
    if (list === undefined) {
      this.#entries.fail(undefined, 'no outline: expected {"nodes": […]} or a list');
    } else if (list.some((node) => isJsonObject(node) && isNestedItem(node))) {
      this.#walk(
        list,
        (value) => this.#itemOf(value),
        ({ children }) => children,
      );
    } else this.#readFlat(list);
  }

  #parsed(): unknown {
    const pieces = this.#pieces;
    this.#pieces = [];
    try {
      return JSON.parse(pieces.join(""));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // No engine has texts of more than some hundred million characters.
      const what = error instanceof SyntaxError ? "no valid JSON" : "too large for JSON";
      this.#entries.fail(undefined, `${what} (${message})`);
      return undefined;
    }
  }

  #readFlat(list: readonly unknown[]): void {
    const items: JsonItem[] = [];
    const ids = new Set<string>();
    for (const value of list) {
      const item = this.#itemOf(value);
      if (item === undefined) return;
      items.push(item);
      if (item.id === undefined) continue;
      if (ids.has(item.id)) this.#entries.fail(item.number, `the id ${item.id} stands twice`);
      ids.add(item.id);
    }
    const childrenOf = new Map<string | undefined, JsonItem[]>();
    for (const item of items) {
      const parent = item.parent !== undefined && ids.has(item.parent) ? item.parent : undefined;
      const siblings = childrenOf.get(parent);
      if (siblings === undefined) childrenOf.set(parent, [item]);
      else siblings.push(item);
    }
    for (const siblings of childrenOf.values()) siblings.sort((a, b) => a.priority - b.priority);
    const placed = this.#walk(
      childrenOf.get(undefined) ?? [],
      (item) => item,
      ({ id }) => (id === undefined ? [] : (childrenOf.get(id) ?? [])),
    );
    // What the walk from the top has not met hangs below itself.
    const lost = items.find((item) => !placed.has(item));
    if (lost !== undefined) this.#entries.fail(lost.number, "a node that is its own ancestor");
  }

  /** Adds nodes with all below them in document order, until one can't be; returns those it met. */
  #walk<Value>(
    top: readonly Value[],
    itemOf: (value: Value) => JsonItem | undefined,
    childrenOf: (item: JsonItem) => readonly Value[],
  ): ReadonlySet<JsonItem> {
    const placed = new Set<JsonItem>();
    const path = [top.values()];
    for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
      const next = level.next();
      if (next.done === true) {
        path.pop();
        continue;
      }
      const item = itemOf(next.value);
      if (item === undefined) break;
      placed.add(item);
      this.#entries.add({ depth: path.length - 1, ...item.entry }, item.number);
      if (this.#entries.isBroken) break;
      path.push(childrenOf(item).values());
    }
    return placed;
  }

  /** Undefined for what is no node, which breaks the file. */
  #itemOf(value: unknown): JsonItem | undefined {
    const item = jsonItemOf(value, ++this.#count);
    if (item.kind === "item") return item;
    this.#entries.fail(this.#count, item.reason);
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  const { nodes } = value;
  if (Array.isArray(nodes)) return nodes;
  return isNestedItem(value) ? [value] : undefined;
}
