import { isNodeKey } from "../../../../src/core/node-key.ts";
import type { DeviceRecords } from "../../../lib/device-records.ts";
import { isRowId, type RowId } from "./row-id.ts";

const RECORD = "folds";
const RECORD_OF_COPIES = "folds-of-copies";
const KEY_LENGTH = 12;

/**
 * Which rows are collapsed on this device. A line begins expanded, but one below a mirror collapsed: each
 * place has its own state. Kept as one text, since there may be thousands.
 */
export class Folds {
  readonly #records: DeviceRecords;
  /** Those that are not as they began. */
  readonly #turned: Set<RowId>;

  private constructor(records: DeviceRecords, turned: Set<RowId>) {
    this.#records = records;
    this.#turned = turned;
  }

  static async open(records: DeviceRecords): Promise<Folds> {
    const [stored, copies] = [await records.read(RECORD), await records.read(RECORD_OF_COPIES)];
    const turned = new Set<RowId>();
    if (typeof stored === "string") {
      for (let at = 0; at < stored.length; at += KEY_LENGTH) {
        const key = stored.slice(at, at + KEY_LENGTH);
        if (isNodeKey(key)) turned.add(key);
      }
    }
    if (typeof copies === "string") {
      for (const id of copies.split(" ")) if (isRowId(id)) turned.add(id);
    }
    return new Folds(records, turned);
  }

  has(id: RowId): boolean {
    return this.#turned.has(id) === isOwn(id);
  }

  /** Answers the rows for which that changed something. */
  set(ids: Iterable<RowId>, isCollapsed: boolean): readonly RowId[] {
    const changed: RowId[] = [];
    for (const id of ids) {
      if (this.has(id) === isCollapsed) continue;
      if (!this.#turned.delete(id)) this.#turned.add(id);
      changed.push(id);
    }
    if (changed.length === 0) return changed;
    const turned = [...this.#turned];
    this.#records.write(RECORD, turned.filter(isOwn).join(""));
    if (changed.every(isOwn)) return changed;
    this.#records.write(RECORD_OF_COPIES, turned.filter((id) => !isOwn(id)).join(" "));
    return changed;
  }
}

function isOwn(id: RowId): boolean {
  return id.length === KEY_LENGTH;
}
