import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { StoreError, type StoredReplica } from "../../../../client/lib/store/replica-store.ts";
import { isOutlineId, ROOT } from "../../../../src/core/node-key.ts";
import { Outline } from "../../../../src/core/outline.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { NOWHERE, ReplicaLab } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

/** The updates that made an outline of so many nodes, one for each. */
function updatesOf(count: number): readonly Uint8Array[] {
  const doc = new Y.Doc();
  const id = "00000000000080008000";
  if (!isOutlineId(id)) throw new Error("it is one");
  const outline = Outline.attach(doc, { id, now: () => 1, random: seededRandom(1) });
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (let index = 0; index < count; index += 1) {
    outline.create({ parent: ROOT, position: "bottom", name: `node ${index}` });
  }
  return updates;
}

test("[L25] while a replica is loaded, everything else has its turn every few milliseconds", async () => {
  lab = await ReplicaLab.start();
  const store = new MemoryReplicaStore();
  await store.write({ received: updatesOf(500) });
  // A slow device: every look at the clock finds it two milliseconds later.
  let now = 0;
  let yields = 0;
  const replica = await lab.open({
    store,
    url: NOWHERE,
    platform: {
      elapsed: () => (now += 2),
      async yieldNow() {
        yields += 1;
      },
    },
  });
  expect(replica.outline.size).toBe(500);
  expect(yields).toBeGreaterThan(70);
});

test("[L21] a page that opens while another tab replaces what is stored reads that", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const other = new MemoryReplicaStore(disk);
  await other.write({ received: updatesOf(3) });
  async function* replacedMeanwhile(): AsyncGenerator<Uint8Array, void> {
    const position = { epoch: "", seq: 0 };
    await other.replace({ updates: updatesOf(5), own: [], position, clients: [] });
    yield new Uint8Array([0, 0]);
    throw new StoreError("replaced", "another replica is in the place of this one");
  }
  /** Reads in slices, as IndexedDB is read. */
  class SlicedStore extends MemoryReplicaStore {
    #reads = 0;

    override async read(): Promise<StoredReplica> {
      const stored = await super.read();
      this.#reads += 1;
      return this.#reads === 1 ? { ...stored, updates: replacedMeanwhile() } : stored;
    }
  }
  const replica = await lab.open({ store: new SlicedStore(disk), url: NOWHERE });
  expect(replica.outline.size).toBe(5);
});
