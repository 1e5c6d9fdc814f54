import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { Author, AuthorOptions } from "./author.ts";
import { nameOf, nextEdit, type Edit } from "./edits.ts";
import type { View } from "./view.ts";

/** What is sent and not acknowledged, where that is told. */
export interface Outbox {
  readonly outbox: readonly Uint8Array[];
}

/** Somebody who writes on a replica of their own. */
export class DeviceAuthor implements Author {
  readonly name: string;
  readonly offences: readonly string[] = [];
  readonly #options: AuthorOptions;
  readonly #outline: Outline;
  readonly #outbox: Outbox | undefined;
  readonly #own = new Map<NodeKey, number>();
  readonly #acknowledged = new Map<NodeKey, number>();
  #sent: { readonly key: NodeKey; readonly count: number; readonly update: Uint8Array }[] = [];

  constructor(outline: Outline, outbox: Outbox | undefined, options: AuthorOptions) {
    this.name = options.name;
    this.#options = options;
    this.#outline = outline;
    this.#outbox = outbox;
  }

  get acknowledged(): ReadonlyMap<NodeKey, number> {
    const open = new Set(this.#outbox?.outbox);
    for (const { key, count, update } of this.#sent) {
      if (!open.has(update)) this.#acknowledged.set(key, count);
    }
    this.#sent = this.#sent.filter(({ update }) => open.has(update));
    return this.#acknowledged;
  }

  step(view: View, isStructural: boolean): Promise<void> {
    const { random, fence } = this.#options;
    this.#apply(nextEdit({ random, view, own: this.#own, isStructural, fence }));
    return Promise.resolve();
  }

  #apply(edit: Edit): void {
    const outline = this.#outline;
    switch (edit.kind) {
      case "name":
        return this.#name(edit.key, edit.count);
      case "note":
        outline.update(edit.key, { note: edit.note });
        return;
      case "complete":
        outline.setCompleted(edit.key, edit.completed);
        return;
      case "layout":
        outline.update(edit.key, { layout: edit.layout });
        return;
      case "create": {
        const created = outline.create({ parent: edit.parent, name: nameOf(this.name, 0) });
        if (created.kind === "created") this.#note(created.key, 0);
        return;
      }
      case "move":
        outline.move(edit.key, { parent: edit.parent, position: edit.position });
        return;
      case "remove":
        outline.remove(edit.key);
    }
  }

  #name(key: NodeKey, count: number): void {
    const updated = this.#outline.update(key, { name: nameOf(this.name, count) });
    if (updated.kind === "ok") this.#note(key, count);
  }

  #note(key: NodeKey, count: number): void {
    this.#own.set(key, count);
    const update = this.#outbox?.outbox.at(-1);
    if (update !== undefined) this.#sent.push({ key, count, update });
  }
}
