import type * as Y from "yjs";
import { rootEntriesIn } from "../root-entries.ts";
import { entryAhead, hasTimes, type Rewrite, timesAhead } from "./future-times.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { metaOf, nodesOf, shortcutsOf, textOf } from "../schema.ts";
import { SETTING_NAMES } from "../settings.ts";

/** Nodes that are looked at between two yields. */
const GLANCE = 512;

/** The registers with times ahead of now that have come from outside. */
export class TimesAhead {
  readonly #outline: Outline;
  /** Since the last run: those of what an update brings [Q40]. */
  readonly #nodes = new Set<NodeKey>();
  /** Since the last run: by the root and the name [Q40]. */
  readonly #entries = new Map<string, () => Rewrite | undefined>();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0 && this.#entries.size === 0;
  }

  /** To be called after a transaction of others for what it changed of a node; `null`: it is new. */
  observeNode(key: NodeKey, names: ReadonlySet<string | null> | null): void {
    if (names !== null && !hasTimes(names)) return;
    if (this.#rewriteOf(key) !== undefined) this.#nodes.add(key);
  }

  /** The same with what it changed in the roots of the document. */
  observeRoots(transaction: Y.Transaction): void {
    for (const { root, map, name } of rootEntriesIn(transaction))
      this.#observeEntry(root, map, name);
  }

  /** Looks through an outline that was kept by a version which believed every time. */
  *seek(): Generator<void> {
    const { doc, tree } = this.#outline;
    for (const name of shortcutsOf(doc).keys()) this.#observeEntry("keys", shortcutsOf(doc), name);
    for (const name of SETTING_NAMES) this.#observeEntry("meta", metaOf(doc), name);
    let looked = 0;
    for (const { key } of tree.rows()) {
      this.observeNode(key, null);
      if (++looked % GLANCE === 0) yield;
    }
  }

  /** What is to be written, once: each is looked at again when it is called, inside a transaction. */
  take(): readonly (() => void)[] {
    const writes = [
      ...[...this.#nodes].map((key) => () => {
        this.#rewriteOf(key)?.();
        this.#outline.tree.refresh([key]);
      }),
      ...[...this.#entries.values()].map((find) => () => find()?.()),
    ];
    this.#nodes.clear();
    this.#entries.clear();
    return writes;
  }

  #rewriteOf(key: NodeKey): Rewrite | undefined {
    const text = textOf(nodesOf(this.#outline.doc), key);
    return text && timesAhead(text, this.#outline.now());
  }

  #observeEntry(root: string, map: Y.Map<unknown> | Y.Map<string>, name: string): void {
    const find = (): Rewrite | undefined =>
      entryAhead(map as Y.Map<unknown>, name, this.#outline.now());
    if (find() !== undefined) this.#entries.set(`${root} ${name}`, find);
  }
}
