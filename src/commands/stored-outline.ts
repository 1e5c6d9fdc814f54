import * as Y from "yjs";
import { applyUnfollowed } from "../core/yjs/apply-stored-update.ts";
import type { ItemOf } from "../admin/admin-operations.ts";
import { checkOutline } from "../core/check-outline.ts";
import type { OutlineId } from "../core/node-key.ts";
import { type Clocks, missingOf } from "../core/yjs/stored-clocks.ts";
import { sentenceOfMissing } from "./sentence-of-missing.ts";
import { Outline } from "../core/outline.ts";
import { clockOf, isPending } from "../core/yjs/struct-store.ts";

export interface StoredFinding {
  readonly text: string;
  readonly isError: boolean;
}

/**
 * An outline put together from what is stored of it, in the order in which it is stored, so that
 * every part shows whether it is what it should be.
 */
export class StoredOutline {
  readonly #id: OutlineId;
  readonly #now: () => number;
  readonly #doc = new Y.Doc();
  readonly #findings: StoredFinding[] = [];
  /** Follows the updates behind the snapshot, so that its index has grown change by change. */
  #outline: Outline | undefined;
  #seq = 0;

  constructor(id: OutlineId, now: () => number) {
    this.#id = id;
    this.#now = now;
  }

  /** Visible nodes. */
  get size(): number {
    return this.#follow().size;
  }

  add(item: ItemOf<"stored">): void {
    if ("chunk" in item) {
      this.#apply(item.chunk, "a chunk of the snapshot");
      if (isPending(this.#doc)) this.#report("the snapshot lacks something it refers to");
    } else if ("stateVector" in item) {
      this.#seq = item.seq;
      const isSame = sameVector(item.stateVector, Y.encodeStateVector(this.#doc));
      if (!isSame) this.#report("the snapshot is not what its state vector says");
    } else if ("lost" in item) {
      this.#reportMissing(new Map(item.lost));
    } else {
      if (item.seq !== this.#seq + 1) this.#report(`update ${this.#seq + 1} is missing`);
      this.#seq = item.seq;
      this.#follow();
      this.#apply(item.update, `update ${item.seq}`);
    }
  }

  /** To be asked for when everything has been added. */
  findings(): readonly StoredFinding[] {
    const ofOutline = checkOutline(this.#follow()).map(({ kind, isError, key }): StoredFinding => ({
      text: `${kind.replaceAll("_", " ")}${key === undefined ? "" : ` at ${key}`}`,
      isError,
    }));
    return [...this.#findings, ...ofOutline];
  }

  #follow(): Outline {
    this.#outline ??= Outline.attach(this.#doc, {
      id: this.#id,
      now: this.#now,
      random: Math.random,
    });
    return this.#outline;
  }

  #apply(update: Uint8Array, what: string): void {
    try {
      applyUnfollowed(this.#doc, update);
    } catch (error) {
      this.#report(`${what} can't be read: ${error instanceof Error ? error.message : "?"}`);
    }
  }

  /** What came back before is not missing any more. */
  #reportMissing(lost: Clocks): void {
    const missing = missingOf(lost, (client) => clockOf(this.#doc, client));
    if (missing.clocks > 0)
      this.#findings.push({ text: sentenceOfMissing(missing), isError: false });
  }

  #report(text: string): void {
    this.#findings.push({ text, isError: true });
  }
}

function sameVector(a: Uint8Array, b: Uint8Array): boolean {
  const [one, other] = [Y.decodeStateVector(a), Y.decodeStateVector(b)];
  if (one.size !== other.size) return false;
  return [...one].every(([client, clock]) => other.get(client) === clock);
}
