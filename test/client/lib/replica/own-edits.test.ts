import { expect, test } from "vitest";
import { type OwnEdit, ownEdit } from "../../../../client/lib/outbox.ts";
import { OwnEdits, type OwnEditsListener } from "../../../../client/lib/own-edits.ts";
import type { Platform } from "../../../../client/lib/platform.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";

interface Surroundings {
  readonly setTimer: Platform["setTimer"];
  readonly onReady: OwnEditsListener["onReady"];
  readonly onSettledBefore: OwnEditsListener["onSettledBefore"];
}

function ownEdits(disk: MemoryDisk, surroundings: Partial<Surroundings> = {}): OwnEdits {
  const { setTimer = () => () => undefined } = surroundings;
  const { onReady = () => undefined, onSettledBefore = () => undefined } = surroundings;
  const platform = { now: () => 0, elapsed: () => 0, setTimer };
  return new OwnEdits(new MemoryReplicaStore(disk), platform, {
    onReady,
    onSettledBefore,
    onFailure: () => undefined,
  });
}

test("[L16] what is written anew counts as unsaved from the start, not only once it is stored", async () => {
  const disk = new MemoryDisk();
  const goOn = disk.hang();
  const own = ownEdits(disk);
  const replacement = { updates: [], position: { epoch: "e", seq: 1 }, clients: [] };
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

test("[L18] of an edit that is stored only after it was settled other tabs hear once more that it is", async () => {
  const disk = new MemoryDisk();
  const goOn = disk.hang();
  const timers: (() => void)[] = [];
  const settled: OwnEdit[] = [];
  const own = ownEdits(disk, {
    setTimer: (callback) => {
      timers.push(callback);
      return () => undefined;
    },
    onSettledBefore: (edits) => settled.push(...edits),
  });
  const { token } = own.add(new Uint8Array([0, 0]));
  own.writer.flush();
  // Nobody waits longer for the store.
  for (const timer of timers) timer();
  expect(own.settle([{ token }], true)).toMatchObject([{ token }]);
  goOn();
  await until(() => settled.length > 0, "the others to be told");
  expect(settled).toMatchObject([{ token }]);
  await own.writer.stored();
  expect((await new MemoryReplicaStore(disk).read()).outbox).toEqual([]);
});

test("[L11] what can't be stored goes on once, and once more when it is stored after all", async () => {
  const disk = new MemoryDisk();
  const passed: (readonly OwnEdit[])[] = [];
  const own = ownEdits(disk, { onReady: (edits) => passed.push(edits) });
  disk.fill();
  const edit = own.add(new Uint8Array([0, 0]));
  await expect(own.writer.stored()).rejects.toThrow();
  await expect(own.writer.stored()).rejects.toThrow();
  expect(passed).toEqual([[edit]]);
  disk.recover();
  await own.writer.stored();
  expect(passed).toEqual([[edit], [{ ...edit, number: 1 }]]);
});

test("[L18] what another tab has stored after all stays unsent when this one has stored it for it", async () => {
  const disk = new MemoryDisk();
  const before: OwnEdit[] = [];
  const own = ownEdits(disk, { onSettledBefore: (edits) => before.push(...edits) });
  const update = new Uint8Array([0, 0]);
  const told = ownEdit(update, 0);
  own.addOthers([told]);
  own.keepOthers();
  const [number = 0] = await new MemoryReplicaStore(disk).write({ own: [update] });
  own.addStored([{ number, update }], 0);
  own.addOthers([{ ...told, number }]);
  await own.writer.stored();
  expect([own.unsavedCount, own.unsent.count, before]).toEqual([1, 1, []]);
  const [settled] = own.settle([told], true);
  expect(settled?.numbers).toHaveLength(2);
  await own.writer.stored();
  expect(own.unsavedCount).toBe(0);
  expect((await new MemoryReplicaStore(disk).read()).outbox).toEqual([]);
});

test("[L12] what the server has does not go out again when the store, which is slow, still lists it", async () => {
  const disk = new MemoryDisk();
  const own = ownEdits(disk);
  const { token } = own.add(new Uint8Array([0, 0]));
  own.writer.flush();
  await until(() => own.outbox.length === 1, "it is stored");
  const { outbox } = await new MemoryReplicaStore(disk).read();
  expect(outbox).toHaveLength(1);
  const goOn = disk.hang();
  own.settle([{ token }], true);
  own.addStored(outbox, 0);
  expect([own.outbox, own.unsent.count]).toEqual([[], 0]);
  own.writer.flush();
  own.addStored(outbox, 0);
  expect([own.outbox, own.unsent.count]).toEqual([[], 0]);
  goOn();
  await own.writer.stored();
  expect((await new MemoryReplicaStore(disk).read()).outbox).toEqual([]);
});

test("[L9] more edits than a call takes arguments are stored and settled at once", async () => {
  const disk = new MemoryDisk();
  const own = ownEdits(disk);
  const goOn = disk.hang();
  for (let count = 0; count < 130_000; count += 1) {
    own.add(new Uint8Array(new Uint32Array([count]).buffer));
  }
  goOn();
  await own.writer.stored();
  expect(own.unsent.count).toBe(130_000);
  own.settle(own.outbox, true);
  await own.writer.stored();
  expect((await new MemoryReplicaStore(disk).read()).outbox).toEqual([]);
});
