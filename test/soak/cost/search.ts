import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";
import { describeCase, freshCase, mutatedCase, smallerCases, sortOf } from "./changing-cases.ts";
import type { Case } from "./gene.ts";
import { dearestOf, leastOf, measureCase, type MeasuredCase, msPerKib } from "./measured-case.ts";
import { PINNED_CASES } from "./pinned-cases.ts";
import { Site } from "./site.ts";

export interface SearchLimits {
  /** Of processor time; as many times what an honest case takes when that is `honest`. */
  readonly msPerKib: number;
  readonly timeIn: "ms" | "honest";
  /** Bytes of memory for each byte that was sent. */
  readonly memoryFactor: number;
}

export interface SearchTask {
  readonly amount: number;
  readonly seed: number;
  /** Of the updates and texts of a case. */
  readonly maxBytes: number;
  readonly limits: SearchLimits;
  /** Whether the first find is enough. */
  readonly isOneEnough: boolean;
}

/** What was among the dearest, of time or of memory. */
export interface Find {
  readonly msPerKib: number;
  /** The same without what any case costs. */
  readonly surplusMs: number;
  /** Memory that it took, as a multiple of the bytes that were sent. */
  readonly memoryFactor: number;
  readonly sentBytes: number;
  /** What it was cut off at. */
  readonly maxBytes: number;
  /** What of it was dearest. */
  readonly what: string;
  /** As in `describeCase`. */
  readonly said: string;
  /** To be pinned. */
  readonly json: string;
}

export interface SearchReport {
  readonly cases: number;
  /** Above the limits. */
  readonly failures: readonly string[];
  /** The dearest first, of each sort of cases one. */
  readonly time: readonly Find[];
  readonly memory: readonly Find[];
  readonly tally: Readonly<Record<string, number>>;
}

/**
 * What a case may take, however little it sends: caches, compiled code and connections that any client
 * makes the process have, as measured on cases that say next to nothing.
 */
const SPARE_MEMORY_BYTES = 6 * 2 ** 20;
/** Garbage that there is before anybody collects it, however little is really used. */
const GARBAGE_BYTES = 64 * 2 ** 20;
/** What any small case costs in time, most of it code that has not run for a while. */
const SPARE_MS = 4;
const LEAST_BYTES = 1_024;
/** A process that has done so many cases has had enough of users. */
const CASES_OF_A_SITE = 100;
/** After so many cases what was found so far is left alone for a while. */
const CASES_OF_AN_AGE = 1_500;
const MOST_BEST = 30;
const FRESH_SHARE = 0.25;
/** From this part of a limit on it is measured again: others on the machine only make a case dearer. */
const SUSPECT = 0.8;
const REPEATS = 2;
/** Most of what is dear is so when it is small, and is measured in no time then. */
const LARGE_SHARE = 1 / 8;
/** Of pinned cases: what was dear once is sent as it was then, whatever new cases are cut off at. */
const MOST_PINNED_BYTES = 400_000;
const SMALL_PART = 1 / 6;
const SHOWN = 10;
const ENOUGH_FAILURES = 10;
/** Attempts to make a find shorter. */
const MOST_SHORTENINGS = 60;
const HONEST_TRIES = 3;
/** What a device sends that was away: lines, as people write them. */
const HONEST_CASE: Case = [
  {
    channel: "update",
    genes: [
      { kind: "nodes", count: 300, size: 1, pick: 0 },
      { kind: "text", count: 100, size: 40, pick: 0 },
    ],
    times: 1,
  },
];

interface Scored {
  readonly each: Case;
  readonly find: Find;
}

/** The best of each sort of cases, so that one sort does not take all places. */
class Best {
  readonly #bySort = new Map<string, Scored>();
  readonly #scoreOf: (find: Find) => number;

  constructor(scoreOf: (find: Find) => number) {
    this.#scoreOf = scoreOf;
  }

  add(scored: Scored): void {
    const sort = sortOf(scored.each);
    const known = this.#bySort.get(sort);
    if (known !== undefined && this.#scoreOf(known.find) >= this.#scoreOf(scored.find)) return;
    this.#bySort.set(sort, scored);
    if (this.#bySort.size <= MOST_BEST) return;
    const last = this.inOrder().at(-1);
    if (last !== undefined) this.#bySort.delete(sortOf(last.each));
  }

  /** The highest score first. */
  inOrder(): readonly Scored[] {
    const score = ({ find }: Scored): number => this.#scoreOf(find);
    return [...this.#bySort.values()].sort((one, other) => score(other) - score(one));
  }
}

/** Looks for what costs the server most for each byte, and goes on from the worst that it has found. */
export class Search {
  readonly #task: SearchTask;
  readonly #random: Random;
  readonly #tally: Record<string, number> = {};
  readonly #failures = new Map<string, string>();
  readonly #time = new Best((find) => find.msPerKib);
  readonly #memory = new Best((find) => find.memoryFactor);
  /** From which it goes on. */
  #parents = new Best((find) => find.surplusMs);
  #heavyParents = new Best((find) => find.memoryFactor);
  #site: Site | undefined;
  #casesOfSite = 0;
  #msPerKib: number;
  /** Of the case under way. */
  #maxBytes: number;

  constructor(task: SearchTask) {
    this.#task = task;
    this.#random = seededRandom(task.seed);
    this.#msPerKib = task.limits.msPerKib;
    this.#maxBytes = task.maxBytes;
  }

  /**
   * @param goesOn asked after each case
   * @param onFailure told of each case over the limits, as soon as it is found
   */
  async run(
    goesOn: (done: number) => boolean,
    onFailure: (failure: string) => void,
  ): Promise<SearchReport> {
    const { amount, isOneEnough } = this.#task;
    const enough = isOneEnough ? 1 : ENOUGH_FAILURES;
    let done = 0;
    if (this.#task.limits.timeIn === "honest") {
      // On a fast machine many times an honest case may be less than any small case.
      this.#msPerKib = Math.max(SPARE_MS, this.#msPerKib * (await this.#honestMs()));
    }
    while (done < amount && this.#failures.size < enough) {
      const pinned = PINNED_CASES[done];
      const newBytes = this.#task.maxBytes * (this.#random() < LARGE_SHARE ? 1 : SMALL_PART);
      this.#maxBytes = pinned === undefined ? newBytes : MOST_PINNED_BYTES;
      const failure = await this.#try(pinned ?? this.#nextCase());
      if (failure !== undefined) onFailure(failure);
      if (++done % CASES_OF_AN_AGE === 0) this.#beginAge();
      if (!goesOn(done)) break;
    }
    await this.#leaveSite();
    const broken = ["defect", "status 500"].filter((what) => this.#tally[what] !== undefined);
    return {
      cases: done,
      failures: [...this.#failures.values(), ...broken],
      time: this.#time
        .inOrder()
        .slice(0, SHOWN)
        .map(({ find }) => find),
      memory: this.#memory
        .inOrder()
        .slice(0, SHOWN)
        .map(({ find }) => find),
      tally: this.#tally,
    };
  }

  /** What people's lines take on this machine, now, for each KiB. */
  async #honestMs(): Promise<number> {
    let ms = Infinity;
    for (let left = HONEST_TRIES; left > 0; left--) {
      const [sending] = (await this.#measure(HONEST_CASE, false)).parts;
      if (sending !== undefined) ms = Math.min(ms, msPerKib(sending));
    }
    return ms;
  }

  #beginAge(): void {
    this.#parents = new Best((find) => find.surplusMs);
    this.#heavyParents = new Best((find) => find.memoryFactor);
  }

  #nextCase(): Case {
    const random = this.#random;
    const parents = (random() < 0.6 ? this.#parents : this.#heavyParents).inOrder();
    if (parents.length === 0 || random() < FRESH_SHARE) return freshCase(random);
    // Those in front more often.
    const at = Math.min(integerBelow(random, parents.length), integerBelow(random, parents.length));
    const { each } = parents[at] ?? oneOf(random, parents);
    return mutatedCase(each, oneOf(random, parents).each, random);
  }

  async #try(each: Case): Promise<string | undefined> {
    const find = await this.#findOf(each);
    // What is cut off before it says anything is nobody's cost.
    if (find.sentBytes === 0) return undefined;
    const scored = { each, find };
    for (const best of [this.#time, this.#memory, this.#parents, this.#heavyParents])
      best.add(scored);
    if (!this.#isOver(find)) return undefined;
    const small = this.#task.isOneEnough ? scored : await this.#smallest(scored);
    const sort = sortOf(small.each);
    if (this.#failures.has(sort)) return undefined;
    const failure = wordsOf(small.find);
    this.#failures.set(sort, failure);
    return failure;
  }

  /** Leaves out of a case whatever it costs too much without. */
  async #smallest(scored: Scored): Promise<Scored> {
    let smallest = scored;
    let left = MOST_SHORTENINGS;
    for (let isSmaller = true; isSmaller;) {
      isSmaller = false;
      for (const each of smallerCases(smallest.each)) {
        if (left-- === 0) return smallest;
        const find = await this.#findOf(each);
        if (!this.#isOver(find)) continue;
        smallest = { each, find };
        isSmaller = true;
        break;
      }
    }
    return smallest;
  }

  /** Measured again, and more closely, when it looks dear: a machine that does other things has its moments. */
  async #findOf(each: Case): Promise<Find> {
    const { limits, isOneEnough } = this.#task;
    // What is to be found out is so dear that twice is enough.
    const repeats = isOneEnough ? 1 : REPEATS;
    let measured = await this.#measure(each, false);
    for (
      let count = 0;
      count < repeats && msPerKib(dearestOf(measured)) > SUSPECT * this.#msPerKib;
      count++
    ) {
      measured = leastOf(measured, await this.#measure(each, false));
    }
    let factor = memoryFactor(measured, GARBAGE_BYTES);
    for (let count = 0; count < repeats && factor > SUSPECT * limits.memoryFactor; count++) {
      factor = Math.min(factor, memoryFactor(await this.#measure(each, true)));
    }
    const dearest = dearestOf(measured);
    return {
      msPerKib: msPerKib(dearest),
      surplusMs: Math.max(
        ...measured.parts.map((part) => msPerKib({ ...part, ms: part.ms - SPARE_MS })),
      ),
      memoryFactor: factor,
      sentBytes: measured.sentBytes,
      maxBytes: this.#maxBytes,
      what: dearest.what,
      said: describeCase(each),
      json: JSON.stringify(each),
    };
  }

  async #measure(each: Case, isClose: boolean): Promise<MeasuredCase> {
    if (this.#casesOfSite >= CASES_OF_A_SITE) await this.#leaveSite();
    this.#site ??= await Site.open();
    this.#casesOfSite++;
    return measureCase(this.#site, each, { maxBytes: this.#maxBytes, isClose });
  }

  async #leaveSite(): Promise<void> {
    const site = this.#site;
    if (site === undefined) return;
    this.#site = undefined;
    this.#casesOfSite = 0;
    for (const [what, count] of Object.entries(site.tally)) {
      this.#tally[what] = (this.#tally[what] ?? 0) + count;
    }
    await site.close();
  }

  #isOver({ msPerKib: ms, memoryFactor: factor }: Find): boolean {
    const { limits } = this.#task;
    return ms > this.#msPerKib || factor > limits.memoryFactor;
  }
}

function memoryFactor(
  { peakBytes, retainedBytes, heldBytes }: MeasuredCase,
  garbageBytes = 0,
): number {
  const took = Math.max(peakBytes - garbageBytes, retainedBytes) - SPARE_MEMORY_BYTES;
  return Math.max(0, took) / Math.max(LEAST_BYTES, heldBytes);
}

/** One line: what it costs, what it sends, and how to send it again. */
export function wordsOf({
  msPerKib: ms,
  memoryFactor: factor,
  sentBytes,
  maxBytes,
  what,
  said,
  json,
}: Find): string {
  const price = `${ms.toFixed(2)} ms/KiB (${what}), ${factor.toFixed(1)} times its ${sentBytes} bytes, cut off at ${Math.round(maxBytes)}`;
  return `${price}: ${said} = ${json}`;
}
