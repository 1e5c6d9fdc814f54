import { isNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { DeviceRecords } from "../../lib/device-records.ts";

const RECORD = "folds";
const KEY_LENGTH = 12;

/** Which nodes are collapsed on this device. Kept as one text, since there may be thousands. */
export class Folds {
  readonly #records: DeviceRecords;
  readonly #collapsed: Set<NodeKey>;

  private constructor(records: DeviceRecords, collapsed: Set<NodeKey>) {
    this.#records = records;
    this.#collapsed = collapsed;
  }

  static async open(records: DeviceRecords): Promise<Folds> {
    const stored = await records.read(RECORD);
    const collapsed = new Set<NodeKey>();
    if (typeof stored === "string") {
      for (let at = 0; at < stored.length; at += KEY_LENGTH) {
        const key = stored.slice(at, at + KEY_LENGTH);
        if (isNodeKey(key)) collapsed.add(key);
      }
    }
    return new Folds(records, collapsed);
  }

  has(key: NodeKey): boolean {
    return this.#collapsed.has(key);
  }

  /** Answers the keys for which that changed something. */
  set(keys: Iterable<NodeKey>, isCollapsed: boolean): readonly NodeKey[] {
    const changed: NodeKey[] = [];
    for (const key of keys) {
      if (this.#collapsed.has(key) === isCollapsed) continue;
      if (isCollapsed) this.#collapsed.add(key);
      else this.#collapsed.delete(key);
      changed.push(key);
    }
    if (changed.length > 0) this.#records.write(RECORD, [...this.#collapsed].join(""));
    return changed;
  }
}
