import type { OutlineId } from "../core/node-key.ts";
import type { Seq } from "../documents/outline-log.ts";

export type HeadWatcher = (outline: OutlineId, head: Seq) => void;

/** Those who want to hear of new heads. They hear after the append has been answered. */
export class HeadWatchers {
  /** One for each part of the program that wants to hear. [Q67] */
  readonly #watchers = new Set<{ readonly call: HeadWatcher }>();

  /** Returns the way to stop. */
  add(watcher: HeadWatcher): () => void {
    const entry = { call: watcher };
    this.#watchers.add(entry);
    return () => this.#watchers.delete(entry);
  }

  notify(outline: OutlineId, head: Seq): void {
    // A task of its own: what a watcher throws is a bug of its own and fails no commit.
    for (const { call } of this.#watchers) queueMicrotask(() => call(outline, head));
  }
}
