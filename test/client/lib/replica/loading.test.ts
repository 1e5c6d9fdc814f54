import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { MemoryReplicaStore } from "../../../../client/lib/store/memory-replica-store.ts";
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
