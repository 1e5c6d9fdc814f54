/** A process of its own that opens and repairs damaged stores. */
import { randomBytes } from "node:crypto";
import { StoreError } from "../../../src/documents/log/outline-log.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { type RepairedStore, repairStore } from "../../../src/store/level/repair-store.ts";
import { serveTasks } from "../task-worker.ts";
import type { DamagedOutcome, DamagedTask, DamagedTasks } from "./damaged-store.ts";
import { contentsOf } from "./store-contents.ts";
import { withoutChecksums } from "./without-checksums.ts";

async function outcomeOf(task: DamagedTask): Promise<DamagedOutcome> {
  const { folder, outlines, isTrusting } = task;
  try {
    let repaired: RepairedStore | undefined;
    if (task.what === "repair") {
      repaired = await repairStore(folder, {
        newEpoch: () => randomBytes(10).toString("hex"),
        now: Date.now,
        keepKeys: true,
        onProgress: () => undefined,
      });
    }
    let isToldOf = false;
    const store = await LevelStore.open(folder, {
      now: Date.now,
      randomBytes,
      events: { onLogLoss: () => (isToldOf = true) },
      ...(isTrusting ? withoutChecksums() : {}),
    });
    try {
      const contents = await contentsOf(store, outlines);
      return { kind: "opened", contents, isToldOf, repaired };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return { kind: "refused", message: error.message };
    return { kind: "failed", message: String(error) };
  }
}

serveTasks<DamagedTasks>({ try: outcomeOf });
