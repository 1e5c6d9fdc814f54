import * as Y from "yjs";
import { type Gap, gapsBeside } from "./same-edit.ts";
import { nodesOf, ownerOf } from "./schema.ts";

/** Places that are remembered. Of more than that, in one go, the others stay as Yjs has them. */
const MAX_GAPS = 10_000;

/**
 * Where in texts others' updates have brought something that its author wrote without having seen what
 * is there, since this was last asked. Looks at each new item once.
 */
export class EditsSince {
  /** At most as many as there are clients [Q40]. */
  readonly #clocks = new Map<number, number>();
  /** By where they are [Q40]. */
  readonly #gaps = new Map<string, Gap>();

  get isEmpty(): boolean {
    return this.#gaps.size === 0;
  }

  get gaps(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  /** To be called after a transaction, before its garbage is collected. */
  note({ doc, beforeState, afterState }: Y.Transaction): void {
    const nodes = nodesOf(doc);
    for (const [client, end] of afterState) {
      const from = beforeState.get(client) ?? 0;
      if (from === end) continue;
      if (!this.#clocks.has(client)) this.#clocks.set(client, from);
      const structs = doc.store.clients.get(client) ?? [];
      for (let index = Y.findIndexSS(structs, from); index < structs.length; index++) {
        const item = structs[index];
        if (!(item instanceof Y.Item)) continue;
        for (const gap of gapsBeside(item)) {
          if (this.#gaps.size >= MAX_GAPS || ownerOf(nodes, gap.text) === undefined) continue;
          this.#gaps.set(nameOf(gap), gap);
        }
      }
    }
  }

  /** Whether an item came since this was last cleared, all of it. */
  readonly isNew = ({ id }: Y.Item): boolean => {
    const from = this.#clocks.get(id.client);
    return from !== undefined && id.clock >= from;
  };

  clear(): void {
    this.#clocks.clear();
    this.#gaps.clear();
  }
}

function nameOf({ text, left, right }: Gap): string {
  const ids = [text._item?.id, left, right].map((id) => id && `${id.client}:${id.clock}`);
  return ids.join(" ");
}
