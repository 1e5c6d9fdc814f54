import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** An edit of an outline; ids are the trace's own. `after` null is the first place. */
export type TraceOperation =
  | {
      readonly op: "create";
      readonly id: string;
      readonly parent: string | null;
      readonly after: string | null;
      readonly name: string;
    }
  | { readonly op: "rename"; readonly id: string; readonly name: string }
  | {
      readonly op: "move";
      readonly id: string;
      readonly parent: string | null;
      readonly after: string | null;
    }
  | { readonly op: "delete"; readonly id: string };

/** A commit: what turned the outline of its first parent into its own. */
export interface TraceCommit {
  readonly number: number;
  /** Unix seconds, not monotonic. */
  readonly time: number;
  /** The first parent first; numbers smaller than its own. */
  readonly parents: readonly number[];
  readonly operations: readonly TraceOperation[];
}

interface TraceLine {
  readonly c: number;
  readonly t: number;
  readonly p: readonly number[];
  readonly ops: readonly TraceOperation[];
}

/** The history in a file of test/fixtures/traces. */
export function readTrace(name: string): readonly TraceCommit[] {
  const file = new URL(`../fixtures/traces/${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  return lines.map((line) => {
    // Our own fixture, checked by the fingerprints that the replay compares.
    const { c, t, p, ops } = JSON.parse(line) as TraceLine;
    return { number: c, time: t, parents: p, operations: ops };
  });
}

interface PlainNode {
  name: string;
  parent: string | null;
  readonly children: string[];
}

/** An outline without any history: what a trace says it is. */
export class PlainOutline {
  readonly #nodes: Map<string | null, PlainNode>;

  constructor(from?: PlainOutline) {
    this.#nodes = new Map([[null, { name: "", parent: null, children: [] }]]);
    if (from === undefined) return;
    for (const [id, { name, parent, children }] of from.#nodes) {
      this.#nodes.set(id, { name, parent, children: [...children] });
    }
  }

  childrenOf(parent: string | null): readonly string[] {
    return this.#node(parent).children;
  }

  /** All nodes in document order. */
  *ids(parent: string | null = null): Generator<string> {
    for (const id of this.childrenOf(parent)) {
      yield id;
      yield* this.ids(id);
    }
  }

  /** Null at the top level. */
  parentOf(id: string): string | null {
    return this.#node(id).parent;
  }

  nameOf(id: string): string {
    return this.#node(id).name;
  }

  apply(operation: TraceOperation): void {
    switch (operation.op) {
      case "create":
        this.#nodes.set(operation.id, { name: operation.name, parent: null, children: [] });
        this.#put(operation.id, operation.parent, operation.after);
        break;
      case "rename":
        this.#node(operation.id).name = operation.name;
        break;
      case "move":
        this.#take(operation.id);
        this.#put(operation.id, operation.parent, operation.after);
        break;
      case "delete":
        this.#take(operation.id);
        break;
    }
  }

  /** One line for each node in document order. */
  lines(): readonly string[] {
    const lines: string[] = [];
    const visit = (parent: string | null, depth: number): void => {
      for (const id of this.childrenOf(parent)) {
        lines.push(`${depth}\t${this.nameOf(id)}`);
        visit(id, depth + 1);
      }
    };
    visit(null, 1);
    return lines;
  }

  #node(id: string | null): PlainNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error(`the trace has no node ${id}`);
    return node;
  }

  #take(id: string): void {
    const { children } = this.#node(this.#node(id).parent);
    children.splice(children.indexOf(id), 1);
  }

  #put(id: string, parent: string | null, after: string | null): void {
    const { children } = this.#node(parent);
    this.#node(id).parent = parent;
    children.splice(after === null ? 0 : children.indexOf(after) + 1, 0, id);
  }
}
