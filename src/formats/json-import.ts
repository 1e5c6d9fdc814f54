import { EntryCollector } from "./entry-collector.ts";
import { isNestedItem, ITEM_MEMBERS, type JsonItem, jsonItemOf } from "./json-item.ts";
import { JsonObject, JsonReader, type JsonValue } from "./json-reader.ts";
import type { ImportLimits, OutlineReader, ReadResult } from "./outline-entry.ts";

const MEMBERS: ReadonlySet<string> = new Set(["nodes", ...ITEM_MEMBERS]);

/**
 * Reads outlines in JSON: the body of the API's export (`{"nodes": […]}` or the bare list, tied
 * together by `parent_id` and `priority`), and the nested lists of account backups (`nm`, `no`,
 * `ch`). Ids become wishes for keys; a node whose parent is not in the file stands at the top.
 */
export class JsonImport implements OutlineReader {
  readonly #reader: JsonReader;
  readonly #entries: EntryCollector;
  /** Of the node that was read last. */
  #line = 1;

  constructor(limits: ImportLimits) {
    this.#entries = new EntryCollector(limits);
    this.#reader = new JsonReader({
      members: MEMBERS,
      // A level of a nested outline is an object in a list; around it are the list and its object.
      maxDepth: limits.maxDepth * 2 + 4,
      maxStringLength: limits.maxTextBytes,
    });
  }

  push(piece: string): boolean {
    return this.#reader.push(piece);
  }

  finish(): ReadResult {
    const json = this.#reader.finish();
    if (json.kind === "broken") return json;
    const list = listOf(json.value);
    if (list === undefined) this.#entries.fail(1, 'no outline: expected {"nodes": […]} or a list');
    else if (list.some((node) => node instanceof JsonObject && isNestedItem(node))) {
      this.#walk(this.#itemsOf(list), (item) => this.#itemsOf(item.children));
    } else this.#readFlat(this.#itemsOf(list));
    return this.#entries.result();
  }

  #readFlat(items: readonly JsonItem[]): void {
    const ids = new Set<string>();
    for (const { id, line } of items) {
      if (id === undefined) continue;
      if (ids.has(id)) this.#entries.fail(line, `the id ${id} stands twice`);
      ids.add(id);
    }
    const childrenOf = new Map<string | undefined, JsonItem[]>();
    for (const item of items) {
      const parent = item.parent !== undefined && ids.has(item.parent) ? item.parent : undefined;
      const siblings = childrenOf.get(parent);
      if (siblings === undefined) childrenOf.set(parent, [item]);
      else siblings.push(item);
    }
    for (const siblings of childrenOf.values()) siblings.sort((a, b) => a.priority - b.priority);
    const placed = this.#walk(childrenOf.get(undefined) ?? [], ({ id }) =>
      id === undefined ? [] : (childrenOf.get(id) ?? []),
    );
    // What the walk from the top has not met hangs below itself.
    const lost = items.find((item) => !placed.has(item));
    if (lost !== undefined) this.#entries.fail(lost.line, "a node that is its own ancestor");
  }

  /** Adds the items with all below them in document order; returns those it met. */
  #walk(
    top: readonly JsonItem[],
    childrenOf: (item: JsonItem) => readonly JsonItem[],
  ): ReadonlySet<JsonItem> {
    const placed = new Set<JsonItem>();
    const path = [{ list: top, next: 0 }];
    for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
      const item = level.list[level.next++];
      if (item === undefined) {
        path.pop();
        continue;
      }
      placed.add(item);
      this.#entries.add({ depth: path.length - 1, ...item.entry }, item.line);
      if (this.#entries.isBroken) return placed;
      path.push({ list: childrenOf(item), next: 0 });
    }
    return placed;
  }

  /** Stops at the first that is no node, which breaks the file. */
  #itemsOf(list: readonly JsonValue[]): readonly JsonItem[] {
    const items: JsonItem[] = [];
    for (const value of list) {
      const item =
        value instanceof JsonObject
          ? jsonItemOf(value)
          : ({ kind: "bad", reason: "something after this node that is none" } as const);
      if (value instanceof JsonObject) this.#line = value.line;
      if (item.kind === "bad") {
        this.#entries.fail(this.#line, item.reason);
        break;
      }
      items.push(item);
    }
    return items;
  }
}

function listOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (!(value instanceof JsonObject)) return isList(value) ? value : undefined;
  const nodes = value.members["nodes"] ?? null;
  if (isList(nodes)) return nodes;
  return isNestedItem(value) ? [value] : undefined;
}

/** `Array.isArray` loses that the list is read-only. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
