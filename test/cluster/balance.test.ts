import { expect, test } from "vitest";
import { Balance, type OutlinesInHand, type OwnedOutlines } from "../../src/cluster/balance.ts";
import { newOutlineId, type OutlineId } from "../../src/core/node-key.ts";
import {
  aboveMean,
  type Candidate,
  hasTooMuch,
  nextOwnerOf,
} from "../../src/store/postgres/spread.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** A process of a service, without a database: what it has, and what is in memory of that. */
class Process implements OwnedOutlines, OutlinesInHand {
  readonly number: number;
  readonly owned = new Set<OutlineId>();
  readonly inHand = new Set<OutlineId>();
  readonly busy = new Set<OutlineId>();
  readonly #all: readonly Process[];
  isFull = false;
  released = 0;

  constructor(number: number, all: readonly Process[]) {
    this.number = number;
    this.#all = all;
  }

  get #loads(): { readonly self: Candidate; readonly others: readonly Candidate[] } {
    const others = this.#all.filter((each) => each !== this).map((each) => each.candidate);
    return { self: this.candidate, others };
  }

  get candidate(): Candidate {
    return { process: this.number, outlines: this.inHand.size, isFull: this.isFull };
  }

  get excess(): number {
    const { self, others } = this.#loads;
    return hasTooMuch(self, others) ? Math.max(1, aboveMean(self, others)) : 0;
  }

  notAskedFor(): Iterable<OutlineId> {
    return this.owned;
  }

  nextOwnerOf(outline: OutlineId): number | undefined {
    const { self, others } = this.#loads;
    return nextOwnerOf(outline, self, others);
  }

  async release(
    outlines: readonly OutlineId[],
    letGo: (outline: OutlineId) => Promise<void>,
    to?: number,
  ): Promise<void> {
    for (const outline of outlines) {
      await letGo(outline);
      this.owned.delete(outline);
      this.released += 1;
      const next = this.#all.find(({ number }) => number === to);
      next?.owned.add(outline);
      // Its clients come back.
      next?.inHand.add(outline);
    }
  }

  isInHand(outline: OutlineId): boolean {
    return this.inHand.has(outline);
  }

  isBusy(outline: OutlineId): boolean {
    return this.busy.has(outline);
  }

  async handOver(outline: OutlineId): Promise<void> {
    this.inHand.delete(outline);
  }
}

const random = seededRandom(3);

function processes(counts: readonly number[]): readonly Process[] {
  const all: Process[] = [];
  for (const [index, count] of counts.entries()) {
    const process = new Process(index + 1, all);
    for (let left = count; left > 0; left -= 1) {
      const outline = newOutlineId(random);
      process.owned.add(outline);
      process.inHand.add(outline);
    }
    all.push(process);
  }
  return all;
}

test("[P105] a new process gets a share of what is in use, some in each step, and then all is at rest", async () => {
  const all = processes([200, 200, 0]);
  const balances = all.map((process) => new Balance(process, process));
  for (let step = 0; step < 60; step += 1) {
    for (const [index, balance] of balances.entries()) {
      const before = all[index]?.released ?? 0;
      await balance.step();
      expect((all[index]?.released ?? 0) - before).toBeLessThanOrEqual(10);
    }
  }
  const counts = all.map(({ inHand }) => inHand.size);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(400);
  const mean = 400 / 3;
  for (const count of counts) expect(count).toBeLessThanOrEqual(1.25 * mean + 16);
  expect(counts[2]).toBeGreaterThan(30);
  const released = all.map((process) => process.released);
  for (const balance of balances) await balance.step();
  expect(all.map((process) => process.released)).toEqual(released);
});

test("[P105] what nobody uses is anybody's; what is in use stays where there is no other process", async () => {
  const [process] = processes([50]) as readonly [Process];
  const [cold] = process.owned;
  if (cold === undefined) throw new Error("50 outlines");
  process.inHand.delete(cold);
  const balance = new Balance(process, process);
  await balance.step();
  expect(process.owned.has(cold)).toBe(false);
  expect(process.owned.size).toBe(49);
});

test("[P105] what is busy is not taken from those who use it", async () => {
  const all = processes([100, 0]);
  const [process, other] = all as readonly [Process, Process];
  for (const outline of process.owned) process.busy.add(outline);
  await new Balance(process, process).step();
  expect(other.owned.size).toBe(0);
});

test("[P104] a process that ends gives away what is in use, but for what is busy", async () => {
  const all = processes([60, 30, 30]);
  const [process] = all as readonly [Process, Process, Process];
  const [busy] = process.owned;
  if (busy === undefined) throw new Error("60 outlines");
  process.busy.add(busy);
  // As a process that is leaving sees it.
  process.nextOwnerOf = (outline) => (Number.parseInt(outline[0] ?? "", 16) % 2) + 2;
  await new Balance(process, process).moveAll(40);
  expect([...process.owned]).toEqual([busy]);
});

test("[P104] a process that ends gives away what was busy as soon as it rests", async () => {
  const all = processes([60, 60]);
  const [process, other] = all as readonly [Process, Process];
  for (const outline of process.owned) process.busy.add(outline);
  process.nextOwnerOf = () => other.number;
  const moving = new Balance(process, process).moveAll(200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(process.owned.size).toBe(60);
  process.busy.clear();
  await moving;
  expect(process.owned.size).toBe(0);
  expect(other.owned.size).toBe(120);
});
