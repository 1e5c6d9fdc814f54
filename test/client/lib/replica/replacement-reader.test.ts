import { expect, test } from "vitest";
import * as Y from "yjs";
import { ReplacementReader } from "../../../../client/lib/replacement-reader.ts";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import { ServerClock } from "../../../../client/lib/server-clock.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { newOutlineId } from "../../../../src/core/node-key.ts";
import { NOWHERE } from "./lab.ts";

const ID = newOutlineId(() => 0.5);
const REPLACEMENT = { generation: "of the leader", included: [] };

/** A tab that has read the store, and how often it would ask again. */
async function opened(disk: MemoryDisk) {
  const asked: (() => void)[] = [];
  const platform = {
    ...nodePlatform(NOWHERE, "key"),
    setTimer(callback: () => void) {
      asked.push(callback);
      return () => undefined;
    },
  };
  const store = new MemoryReplicaStore(disk);
  const { generation } = await store.read();
  const records = { read: async () => undefined, write: () => undefined };
  const clock = new ServerClock(platform, records);
  return { asked, reader: new ReplacementReader(store, platform, clock, generation) };
}

async function replaceOn(disk: MemoryDisk): Promise<void> {
  const store = new MemoryReplicaStore(disk);
  await store.read();
  const position = { epoch: "of it", seq: 1 };
  const updates = [Y.encodeStateAsUpdate(new Y.Doc())];
  await store.replace({ updates, own: [], position, clients: [] });
}

test("[L21] a tab that opened when the new replica had just been stored has it, whatever it hears later", async () => {
  const disk = new MemoryDisk();
  await replaceOn(disk);
  const { reader, asked } = await opened(disk);
  const read = () => reader.read(REPLACEMENT, ID, () => undefined);
  // The leader told of it before that, and the tab can't know whether it is that one.
  expect(await read()).toBe(undefined);
  expect([asked.length, reader.isMissing]).toEqual([1, true]);
  reader.onStored("of another");
  expect(await read()).toBe(undefined);
  reader.onStored(REPLACEMENT.generation);
  expect(await read()).toMatchObject({ isLate: true });
  expect(reader.isMissing).toBe(false);
});

test("[L21] one that opened before waits until it is stored, and for the next one again", async () => {
  const disk = new MemoryDisk();
  const { reader } = await opened(disk);
  expect(await reader.read(REPLACEMENT, ID, () => undefined)).toBe(undefined);
  await replaceOn(disk);
  reader.onStored(REPLACEMENT.generation);
  expect(await reader.read(REPLACEMENT, ID, () => undefined)).toMatchObject({ isLate: true });
  const next = { ...REPLACEMENT, generation: "the next" };
  expect(await reader.read(next, ID, () => undefined)).toBe(undefined);
});
