import { isNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { DeviceRecords } from "../../lib/device-records.ts";
import { Cell, type Source } from "../state/source.ts";

const NAME = "recent-nodes";
const MOST = 20;

/** The nodes that this device has zoomed into, the latest first. */
export class RecentNodes {
  readonly #records: DeviceRecords;
  readonly keys = new Cell<readonly NodeKey[]>([]);

  constructor(records: DeviceRecords) {
    this.#records = records;
  }

  /** Reads what was kept, then notes the node that is looked into, and each that is from then on. */
  async follow(zoom: Source<NodeKey>): Promise<void> {
    // Before anything is written in its place.
    const stored = await this.#records.read(NAME);
    const kept = Array.isArray(stored) ? stored : [];
    this.keys.set(kept.filter((each) => typeof each === "string" && isNodeKey(each)));
    this.#visit(zoom.get());
    zoom.subscribe(() => this.#visit(zoom.get()));
  }

  #visit(key: NodeKey): void {
    const others = this.keys.get().filter((each) => each !== key);
    this.keys.set([key, ...others].slice(0, MOST));
    this.#records.write(NAME, this.keys.get());
  }
}
