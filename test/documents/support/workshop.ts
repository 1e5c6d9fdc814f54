import { setImmediate as turn } from "node:timers/promises";
import type { Watchdog } from "../../../src/charges/watchdog.ts";
import { newOutlineId, ROOT, type OutlineId } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { DocumentEvents } from "../../../src/documents/document-events.ts";
import type { DocumentLimits } from "../../../src/documents/document-limits.ts";
import type {
  DocumentListener,
  DurableBatch,
} from "../../../src/documents/replica/document-listener.ts";
import { Documents } from "../../../src/documents/documents.ts";
import type { OutlineDocument } from "../../../src/documents/replica/outline-document.ts";
import { Turns } from "../../../src/documents/turns/turns.ts";
import { type MemoryDisk, newMemoryDisk } from "../../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../../support/memory-store/memory-store.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { FaultyLog } from "./faulty-log.ts";
import { ManualClock } from "./manual-clock.ts";

/** Documents over a log with faults, with a clock of their own, and what happened in them. */
export interface Workshop {
  readonly documents: Documents;
  readonly log: FaultyLog;
  readonly store: MemoryStore;
  /** What the store has, for tests that put something there. */
  readonly disk: MemoryDisk;
  readonly clock: ManualClock;
  readonly id: OutlineId;
  readonly happened: string[];
  /** Other documents over the same store: what a restart, or a look from outside, finds. */
  readonly again: (limits?: Partial<DocumentLimits>) => Documents;
  /** The same over the log with faults. */
  readonly againFaulty: (limits?: Partial<DocumentLimits>) => Documents;
}

/**
 * @param elapsed what shares of a turn are measured by; unless given none is ever used up
 * @param watchdog of the documents, not of those that look from outside
 */
export function workshop(
  limits: Partial<DocumentLimits> = {},
  seed = 1,
  elapsed: () => number = () => 0,
  watchdog?: Watchdog,
): Workshop {
  const random = seededRandom(seed);
  const disk = newMemoryDisk();
  const store = new MemoryStore({ disk });
  const log = new FaultyLog(store.log);
  const clock = new ManualClock();
  const happened: string[] = [];
  const events: DocumentEvents = {
    onLoad: () => happened.push("load"),
    onEvict: (reason) => happened.push(`evict ${reason}`),
    onCompaction: () => happened.push("compaction"),
    onPurge: (_ms, nodes) => happened.push(`purge ${nodes}`),
    onBroughtBack: (_outline, structs) => happened.push(`brought back ${structs}`),
    onStillMissing: (_outline, { clocks, clients }) =>
      happened.push(`missing ${clocks} of ${clients}`),
    onHandedIn: (_outline, { updates, refused }) =>
      happened.push(`handed in ${updates}, refused ${refused}`),
    onDefect: (error) => happened.push(`defect ${String(error)}`),
  };
  const common = { now: clock.now, elapsed, random, timers: clock, limits };
  return {
    documents: new Documents({
      ...common,
      log,
      events,
      turns: new Turns(clock, elapsed, watchdog),
    }),
    log,
    store,
    disk,
    clock,
    id: newOutlineId(random),
    happened,
    againFaulty: (others = limits) => new Documents({ ...common, limits: others, log }),
    again: (others = limits) => new Documents({ ...common, limits: others, log: store.log }),
  };
}

/** The names of the nodes at the top level, sorted. */
export function namesIn(outline: Outline): readonly string[] {
  return outline
    .children(ROOT)
    .map(({ name }) => name)
    .sort();
}

export function addNode(document: OutlineDocument, name: string): Promise<unknown> {
  return document.write((outline) => outline.create({ parent: ROOT, name }));
}

/** The names that the log has, seen by documents that were not there before. */
export async function durableNames({ again, id }: Workshop): Promise<readonly string[]> {
  const documents = again();
  const names = await documents.use(id, (document) => document.read(namesIn));
  await documents.close();
  return names;
}

/** Lets everything go on that waits for a turn of the event loop. */
export async function turns(count = 20): Promise<void> {
  for (let left = count; left > 0; left--) await turn();
}

/** Whether a promise has settled after some turns, and how. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  const state = promise.then(
    () => "resolved",
    (error: unknown) => `rejected ${codeOf(error)}`,
  );
  return Promise.race([state, turns().then(() => "pending")]);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** A listener that keeps what it is told. */
export class Follower implements DocumentListener {
  readonly batches: DurableBatch[] = [];
  readonly losses: string[] = [];

  onDurable(batch: DurableBatch): void {
    this.batches.push(batch);
  }

  onLost(reason: string): void {
    this.losses.push(reason);
  }
}
