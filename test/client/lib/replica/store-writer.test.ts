import { expect, test } from "vitest";
import type { OwnEdit } from "../../../../client/lib/outbox.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { StoreWriter } from "../../../../client/lib/store-writer.ts";

/** A clock that a test moves, with the timers that wait for it. */
class Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  readonly elapsed = (): number => this.#now;

  setTimer(callback: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get waiting(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at <= this.#now && this.#timers.delete(timer)) timer.callback();
    }
  }
}

/** Lets all that was begun and needs no timer come to its end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

function edit(token: string): OwnEdit {
  return { token, madeAt: 0, update: new TextEncoder().encode(token), number: undefined };
}

function writerOn(disk: MemoryDisk) {
  const clock = new Clock();
  const told: string[] = [];
  const unstored = new Set<OwnEdit>();
  const tell = (what: string, edits: readonly OwnEdit[]): void => {
    told.push(`${what} ${edits.map(({ token }) => token).join(" ")}`);
  };
  const store = new MemoryReplicaStore(disk);
  const writer = new StoreWriter(store, clock, {
    onStored: (edits) => tell("stored", edits),
    onUnstored(edits) {
      const news = edits.filter((each) => !unstored.has(each));
      for (const each of news) unstored.add(each);
      if (news.length > 0) tell("unstored", news);
    },
    onFailure: (error) => told.push(error === undefined ? "works" : `fails ${error.code}`),
  });
  return { clock, store, writer, told };
}

async function outboxOf(disk: MemoryDisk): Promise<readonly string[]> {
  const { outbox } = await new MemoryReplicaStore(disk).read();
  return outbox.map(({ update }) => new TextDecoder().decode(update));
}

test("[L26] an edit is stored at once when nothing was, the next ones a fifth of a second later", async () => {
  const disk = new MemoryDisk();
  const { clock, writer, told } = writerOn(disk);
  writer.own(edit("a"));
  writer.own(edit("b"));
  await settle();
  expect(told).toEqual(["stored a b"]);
  clock.advance(50);
  writer.own(edit("c"));
  await settle();
  expect([told.length, clock.waiting]).toEqual([1, [150]]);
  clock.advance(100);
  writer.own(edit("d"));
  clock.advance(50);
  await settle();
  expect(told).toEqual(["stored a b", "stored c d"]);
  expect(await outboxOf(disk)).toEqual(["a", "b", "c", "d"]);
  expect(clock.waiting).toEqual([]);
});

test("[L26] a page that is hidden stores at once", async () => {
  const disk = new MemoryDisk();
  const { writer, told } = writerOn(disk);
  writer.own(edit("a"));
  await settle();
  writer.own(edit("b"));
  writer.flush();
  await settle();
  expect(told).toEqual(["stored a", "stored b"]);
});

test("[L12] what failed stays in front, and is tried again after growing delays", async () => {
  const disk = new MemoryDisk();
  const { clock, writer, told } = writerOn(disk);
  disk.fill();
  writer.own(edit("a"));
  await settle();
  expect(told).toEqual(["fails full", "unstored a"]);
  expect(clock.waiting).toEqual([1_000]);
  writer.own(edit("b"));
  await settle();
  expect(told).toEqual(["fails full", "unstored a", "unstored b"]);
  clock.advance(1_000);
  await settle();
  expect(clock.waiting).toEqual([2_000]);
  disk.recover();
  writer.settled([], new Set(["a"]));
  clock.advance(2_000);
  await settle();
  expect(told).toEqual(["fails full", "unstored a", "unstored b", "works", "stored b"]);
  expect(await outboxOf(disk)).toEqual(["b"]);
  expect(clock.waiting).toEqual([]);
});

test("[L12] what was made while a write failed is stored behind what the write was for", async () => {
  const disk = new MemoryDisk();
  const { clock, writer, told } = writerOn(disk);
  const release = disk.hang();
  writer.own(edit("a"));
  writer.own(edit("b"));
  await settle();
  writer.own(edit("c"));
  disk.fill();
  release();
  await settle();
  writer.own(edit("d"));
  expect(writer.unstored.map(({ token }) => token)).toEqual(["a", "b", "c", "d"]);
  disk.recover();
  clock.advance(1_000);
  await settle();
  expect(told.at(-1)).toBe("stored a b c d");
  expect(await outboxOf(disk)).toEqual(["a", "b", "c", "d"]);
});

test("[L11] a write that hangs is a failure after three seconds, until it ends", async () => {
  const disk = new MemoryDisk();
  const { clock, writer, told } = writerOn(disk);
  const release = disk.hang();
  writer.own(edit("a"));
  await settle();
  clock.advance(2_999);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual(["unstored a", "fails failed"]);
  release();
  await settle();
  expect(told).toEqual(["unstored a", "fails failed", "works", "stored a"]);
});

test("[L21] what is being written when the replica is replaced is forgotten", async () => {
  const disk = new MemoryDisk();
  const { clock, writer, told } = writerOn(disk);
  const release = disk.hang();
  writer.own(edit("of the old one"));
  await settle();
  const numbers: (readonly number[])[] = [];
  writer.replace({
    own: [edit("of the new one")],
    make: () => ({ updates: [], position: { epoch: "e", seq: 7 }, clients: [] }),
    onDone: (made) => numbers.push(made),
    onDelayed: () => told.push("delayed"),
  });
  expect(writer.unstored).toEqual([edit("of the new one")]);
  clock.advance(3_000);
  expect(told).toEqual(["fails failed"]);
  release();
  await settle();
  clock.advance(200);
  await settle();
  expect(told).toEqual(["fails failed", "works"]);
  expect(numbers).toHaveLength(1);
  expect(await outboxOf(disk)).toEqual(["of the new one"]);
});

test("[L11, L21] what is to replace a store that is lost is told of all the same, before what builds on it", async () => {
  const disk = new MemoryDisk();
  const { writer, told } = writerOn(disk);
  writer.watch();
  disk.lose();
  writer.replace({
    own: [],
    make: () => ({ updates: [], position: { epoch: "e", seq: 1 }, clients: [] }),
    onDone: () => told.push("replaced"),
    onDelayed: () => told.push("delayed"),
  });
  writer.own(edit("a"));
  await settle();
  expect(told).toEqual(["fails lost", "delayed", "unstored a", "fails lost"]);
  expect(writer.isReplacing).toBe(false);
});

test("[L129] a store that is begun anew gets the replica at once, however often the lost one has failed", async () => {
  const disk = new MemoryDisk();
  const { clock, store, writer, told } = writerOn(disk);
  writer.watch();
  disk.fill();
  writer.own(edit("a"));
  await settle();
  clock.advance(1_000);
  await settle();
  expect(clock.waiting).toEqual([2_000]);
  disk.lose();
  disk.recover();
  await store.beginAnew();
  writer.replace({
    own: [],
    make: () => ({ updates: [], position: { epoch: "e", seq: 1 }, clients: [] }),
    onDone: () => told.push("replaced"),
    onDelayed: () => told.push("delayed"),
  });
  clock.advance(200);
  await settle();
  expect(told.slice(-2)).toEqual(["replaced", "works"]);
  expect(clock.waiting).toEqual([]);
});

test("[L12, L129] what is written while a store that is begun anew gets its first batch is stored too", async () => {
  const disk = new MemoryDisk();
  const { clock, store, writer } = writerOn(disk);
  writer.watch();
  disk.lose();
  await store.beginAnew();
  let release = (): void => undefined;
  writer.replace({
    own: [],
    make: () => ({ updates: [], position: { epoch: "e", seq: 1 }, clients: [] }),
    onDone: () => {
      release = disk.hang();
    },
    onDelayed: () => undefined,
  });
  writer.own(edit("a"));
  await settle();
  writer.own(edit("b"));
  release();
  await settle();
  clock.advance(200);
  await settle();
  expect(await outboxOf(disk)).toEqual(["a", "b"]);
});
