import { isNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { DeviceRecords } from "../../lib/device-records.ts";
import { Cell, type Source } from "../state/source.ts";

const NAME = "recent-nodes";
const MOST = 20;

/** The nodes that this device has zoomed into, the latest first. */
export class RecentNodes {
  readonly #records: DeviceRecords;
  readonly #keys = new Cell<readonly NodeKey[]>([]);

  constructor(records: DeviceRecords) {
    this.#records = records;
  }

  get keys(): readonly NodeKey[] {
    return this.#keys.get();
  }

  /** The same for who shows them. */
  get source(): Source<readonly NodeKey[]> {
    return this.#keys;
  }

  /** Reads what was kept, behind what has been visited meanwhile. */
  async load(): Promise<void> {
    const stored = await this.#records.read(NAME);
    if (!Array.isArray(stored)) return;
    const kept = stored.filter((each) => typeof each === "string" && isNodeKey(each));
    this.#keys.set([...new Set([...this.keys, ...kept])].slice(0, MOST));
  }

  /** Notes every node that is zoomed into from now on. Answers how to stop. */
  follow(zoom: Source<NodeKey>): () => void {
    this.#visit(zoom.get());
    return zoom.subscribe(() => this.#visit(zoom.get()));
  }

  #visit(key: NodeKey): void {
    this.#keys.set([key, ...this.keys.filter((each) => each !== key)].slice(0, MOST));
    this.#records.write(NAME, this.keys);
  }
}
