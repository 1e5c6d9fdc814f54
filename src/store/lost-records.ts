import type { OutlineId } from "../core/node-key.ts";
import { isOutlineId } from "../core/node-key.ts";
import type { KeyRange } from "./database.ts";
import type { LostKeys } from "./leveldb-table.ts";
import type { StoreKeys } from "./store-keys.ts";

/** Keys of outlines and of accounts, as they stand in the remains of a log. */
const OUTLINE_KEY = /[0-9a-f]{4}\/[ho]\/([0-9a-f]{20})/g;
const ACCOUNT_KEY = /[0-9a-f]{4}\/[aksxz]\//;

/** What is known of records that can't be read any more. */
export class LostRecords {
  /** One for each damaged file. [Q2] */
  readonly #ranges: LostKeys[] = [];
  /** [Q2] */
  readonly #outlines = new Set<OutlineId>();
  #accounts = false;
  #hasRemains = false;

  /** Records with keys behind `from` and up to `to` are lost, as far as there were any. */
  addKeys(range: LostKeys): void {
    this.#ranges.push(range);
  }

  /** These bytes hold what is left of writes that can't be read. */
  addRemains(bytes: Uint8Array): void {
    this.#hasRemains = true;
    for (const outline of outlinesNamedIn(bytes)) this.#outlines.add(outline);
    this.#accounts ||= ACCOUNT_KEY.test(textOf(bytes));
  }

  /** The last writes of a log are lost, and nobody knows how many there were. */
  addEndOfLog(): void {
    // Of outlines the heads tell, of users and keys nothing.
    this.#accounts = true;
  }

  /** Something of an outline is lost. */
  addOutline(outline: OutlineId): void {
    this.#outlines.add(outline);
  }

  /**
   * Whether an outline may have lost something whose absence can't be seen: its newest writes, a
   * newer snapshot, or who holds a client id. A gap in its log is seen when it is loaded.
   */
  hidesLossOf(outline: OutlineId, keys: StoreKeys): boolean {
    if (this.#outlines.has(outline)) return true;
    const points = [keys.head(outline), keys.snapshot(outline)];
    const ranges = [...points.map(pointRange), keys.bindings(outline)];
    return ranges.some((range) => this.#touches(range));
  }

  /** Whether the record under a key may be lost. */
  mayInclude(key: string): boolean {
    return this.#hasRemains || this.#touches(pointRange(key));
  }

  /** Whether users, keys or settings of the service may be lost, or the removal of some. */
  mayIncludeAccounts(keys: StoreKeys): boolean {
    return this.#accounts || keys.accounts.some((range) => this.#touches(range));
  }

  #touches({ from, to }: KeyRange): boolean {
    return this.#ranges.some(
      (lost) =>
        (lost.from === undefined || lost.from < to) && (lost.to === undefined || lost.to >= from),
    );
  }
}

/** The outlines whose keys are in the remains of a log. */
export function outlinesNamedIn(remains: Uint8Array): readonly OutlineId[] {
  return [...textOf(remains).matchAll(OUTLINE_KEY)].map(([, id = ""]) => id).filter(isOutlineId);
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

function pointRange(key: string): KeyRange {
  return { from: key, to: `${key}\0` };
}
