import { expect, test } from "vitest";
import { OwnEdits } from "../../../../client/lib/own-edits.ts";
import { MemoryDisk } from "../../../../client/lib/store/memory-disk.ts";
import { MemoryReplicaStore } from "../../../../client/lib/store/memory-replica-store.ts";

test("[L16] what is written anew counts as unsaved from the start, not only once it is stored", async () => {
  const disk = new MemoryDisk();
  const goOn = disk.hang();
  const platform = { now: () => 0, elapsed: () => 0, setTimer: () => () => undefined };
  const own = new OwnEdits(new MemoryReplicaStore(disk), platform, "tab", {
    onReady: () => undefined,
    onFailure: () => undefined,
  });
  const replacement = { updates: [], position: { epoch: "e", seq: 1 }, leases: [] };
  own.replace(
    new Uint8Array([0, 0]),
    0,
    () => replacement,
    () => undefined,
  );
  expect(own.unsavedCount).toBe(1);
  goOn();
  await own.writer.stored();
  expect(own.unsavedCount).toBe(1);
  expect(own.outbox).toHaveLength(1);
});
