import type * as Y from "yjs";
import { isNodeKey, type NodeKey } from "../../../../src/core/node-key.ts";
import { nodesOf } from "../../../../src/core/schema.ts";
import type { Replica } from "../../../lib/replica.ts";
import { followOutline } from "../../state/follow-outline.ts";
import { holderOf } from "../../../../src/core/yjs/inside.ts";

/** What comes at once after a time without a network is no news of this moment. */
const MOST_TINTED = 12;
const TINT_MS = 1600;

/**
 * Tints a line for a moment when somebody else, or another device, has just written it, so that nobody
 * wonders who did. Answers how to stop.
 */
export function tintChangedElsewhere(replica: Replica, root: HTMLElement): () => void {
  return followOutline(replica, ({ doc }) => {
    const onTransaction = (transaction: Y.Transaction): void => {
      if (transaction.local) return;
      const keys = keysIn(doc, transaction);
      if (keys.size === 0 || keys.size > MOST_TINTED) return;
      // Behind the rows that are drawn for it.
      requestAnimationFrame(() => {
        for (const key of keys) tint(root, key);
      });
    };
    doc.on("afterTransaction", onTransaction);
    return () => doc.off("afterTransaction", onTransaction);
  });
}

function keysIn(doc: Y.Doc, { changed }: Y.Transaction): ReadonlySet<NodeKey> {
  const nodes = nodesOf(doc);
  const keys = new Set<NodeKey>();
  for (const type of changed.keys()) {
    let at: Y.AbstractType<unknown> | null = type as Y.AbstractType<unknown>;
    while (at !== null && at.parent !== (nodes as unknown)) {
      at = at.parent as Y.AbstractType<unknown> | null;
    }
    const key = at === null ? undefined : holderOf(at)?.parentSub;
    if (typeof key === "string" && isNodeKey(key)) keys.add(key);
    if (keys.size > MOST_TINTED) break;
  }
  return keys;
}

function tint(root: HTMLElement, key: NodeKey): void {
  const colour = getComputedStyle(root).getPropertyValue("--news");
  // Below mirrors, too.
  for (const texts of root.querySelectorAll(`[data-key$="${key}"] .texts`)) {
    texts.animate([{ backgroundColor: colour }, { backgroundColor: "transparent" }], {
      duration: TINT_MS,
      easing: "ease-out",
    });
  }
}
