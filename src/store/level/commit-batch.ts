import type { OutlineId } from "../../core/node-key.ts";
import type { Seq, StoreError } from "../../documents/log/outline-log.ts";
import type { Operation } from "../database.ts";
import { putHead } from "./heads.ts";
import type { History } from "./history.ts";

/** What goes into one commit. Heads are gathered apart and written once, with their last value. */
export class CommitBatch {
  readonly history: History;
  /** Of the updates and tokens that share the commit. [Q66] */
  readonly #operations: Operation[] = [];
  readonly #known: ReadonlyMap<OutlineId, Seq | StoreError>;
  /** Of the outlines in the commit. [Q66] */
  readonly #heads = new Map<OutlineId, Seq | undefined>();

  constructor(history: History, known: ReadonlyMap<OutlineId, Seq | StoreError>) {
    this.history = history;
    this.#known = known;
  }

  add(operation: Operation): void {
    this.#operations.push(operation);
  }

  /**
   * The head of an outline, with what the batch already holds; 0 for one that is not there.
   * @throws StoreError `outline_corrupt`
   */
  head(outline: OutlineId): Seq {
    if (this.#heads.has(outline)) return this.#heads.get(outline) ?? 0;
    const known = this.#known.get(outline) ?? 0;
    if (typeof known !== "number") throw known;
    return known;
  }

  /** Undefined takes the head away, and the outline with it. */
  setHead(outline: OutlineId, head: Seq | undefined): void {
    this.#heads.set(outline, head);
  }

  /** The heads that the batch changes. */
  get heads(): ReadonlyMap<OutlineId, Seq | undefined> {
    return this.#heads;
  }

  /** Everything in it, in order. */
  operations(): readonly Operation[] {
    const heads = [...this.#heads].map(([outline, head]): Operation => {
      const { keys } = this.history;
      return head === undefined ? { key: keys.head(outline) } : putHead(keys, outline, head);
    });
    return [...this.#operations, ...heads];
  }
}
