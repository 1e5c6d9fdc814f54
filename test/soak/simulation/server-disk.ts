import type { OutlineId } from "../../../src/core/node-key.ts";
import {
  type MemoryDisk,
  newMemoryDisk,
  type StoredOutline,
} from "../../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../../support/memory-store/memory-store.ts";
import type { TailLimits } from "../../../src/store/tail-limits.ts";
import { integerBelow } from "../../support/seeded-random.ts";
import type { Agenda } from "./agenda.ts";
import type { Program } from "./program.ts";

/** What a crash leaves of the commit that is under way. */
type Remains = "nothing" | "part" | "all";

/** The server's disk: slow, now and then failing, and it outlives the server's program. */
export class ServerDisk {
  readonly #disk = newMemoryDisk();
  readonly #agenda: Agenda;
  readonly #random: () => number;
  readonly #tail: TailLimits;
  #isFailing = false;
  #slowMs = 0;
  /** Ends the commit that is under way. */
  #finish: (() => void) | undefined;
  /** As outlines were before what a crash may have left. */
  #before: Map<OutlineId, StoredOutline> | undefined;

  constructor(agenda: Agenda, tail: TailLimits) {
    this.#agenda = agenda;
    this.#random = agenda.fork();
    this.#tail = tail;
  }

  /** What is on it. */
  get disk(): MemoryDisk {
    this.#loseSome();
    return this.#disk;
  }

  get isCommitting(): boolean {
    return this.#finish !== undefined;
  }

  /** The store of a program: what it writes after its death does not arrive. */
  open(program: Program): MemoryStore {
    return new MemoryStore({
      disk: this.disk,
      now: this.#agenda.now,
      tail: this.#tail,
      beforeCommit: () => this.#commit(program),
    });
  }

  /** The program that writes has died just now. */
  crash(remains: Remains): void {
    const finish = this.#finish;
    this.#finish = undefined;
    this.#isFailing = false;
    this.#slowMs = 0;
    if (remains === "nothing" || finish === undefined) return;
    if (remains === "part") this.#before = copyOfOutlines(this.#disk);
    finish();
  }

  fail(): void {
    this.#isFailing = true;
  }

  /** Every commit takes so much longer. */
  slowDown(ms: number): void {
    this.#slowMs = ms;
  }

  recover(): void {
    this.#isFailing = false;
    this.#slowMs = 0;
  }

  backUp(): MemoryDisk {
    return copyOf(this.disk);
  }

  /** Puts a backup in the place of everything, as a new history. No program may have it open. */
  restore(backup: MemoryDisk): void {
    this.#before = undefined;
    const { outlines, users, keys } = copyOf(backup);
    const ordinal = this.disk.epochOrdinal + 1;
    replaceEntries(this.disk.outlines, outlines);
    replaceEntries(this.disk.users, users);
    replaceEntries(this.disk.keys, keys);
    this.disk.epoch = `epoch ${ordinal}`;
    this.disk.epochOrdinal = ordinal;
  }

  async #commit(program: Program): Promise<void> {
    const ms = this.#slowMs + 1 + integerBelow(this.#random, this.#random() < 0.1 ? 80 : 12);
    await new Promise<void>((resolve, reject) => {
      if (program.isOver) return;
      const finish = (): void => {
        if (this.#finish === finish) this.#finish = undefined;
        resolve();
      };
      this.#finish = finish;
      program.setTimeout(() => {
        if (!this.#isFailing) return finish();
        this.#finish = undefined;
        reject(new Error("the simulated disk fails"));
      }, ms);
    });
  }

  /** A batch of several outlines' writes that was cut off: of some nothing is there. */
  #loseSome(): void {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined) return;
    for (const [id, outline] of this.#disk.outlines) {
      if (this.#random() < 0.5) continue;
      const earlier = before.get(id);
      if (earlier === undefined) this.#disk.outlines.delete(id);
      else if (earlier.head !== outline.head) this.#disk.outlines.set(id, earlier);
    }
  }
}

function copyOfOutlines({ outlines }: MemoryDisk): Map<OutlineId, StoredOutline> {
  return new Map(
    [...outlines].map(([id, stored]) => [
      id,
      { ...stored, updates: [...stored.updates], bindings: new Map(stored.bindings) },
    ]),
  );
}

function copyOf(disk: MemoryDisk): MemoryDisk {
  return {
    ...disk,
    outlines: copyOfOutlines(disk),
    tokensTakenAt: new Map(disk.tokensTakenAt),
    users: new Map(disk.users),
    keys: new Map(disk.keys),
  };
}

function replaceEntries<K, V>(map: Map<K, V>, by: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}
