import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../support/socket-until.ts";
import { type Cluster, type ClusterProcess, missingOf } from "./cluster.ts";

const WRITERS = 6;
const BETWEEN_READS_MS = 100;
/** One that stands still answers nobody: programs go on to the next. */
const PATIENCE_MS = 5000;

/**
 * Programs that add lines by way of any of some processes, and know what was acknowledged; and one that
 * reads all of them.
 */
export class Writers {
  readonly acknowledged: string[] = [];
  /** What an answer lacked that had been acknowledged before it was asked for. */
  readonly stale: string[] = [];
  readonly #id = randomUUID();
  readonly #cluster: Cluster;
  readonly #processes: readonly ClusterProcess[];
  readonly #running: readonly Promise<void>[];
  #acknowledgedAt = performance.now();
  #longestGapMs = 0;
  #isOver = false;
  #reads = 0;

  /** @param processes which may change meanwhile */
  constructor(cluster: Cluster, processes: readonly ClusterProcess[]) {
    this.#cluster = cluster;
    this.#processes = processes;
    const writing = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer));
    this.#running = [...writing, this.#read()];
  }

  /** How often all lines were read, by way of one process after the other. */
  get reads(): number {
    return this.#reads;
  }

  /** The longest time in which none of them was answered that its line is durable. */
  get longestGapMs(): number {
    return Math.round(this.#longestGapMs);
  }

  /** What follows counts alone. */
  forgetGap(): void {
    this.#longestGapMs = 0;
    this.#acknowledgedAt = performance.now();
  }

  /** Resolves when so many more are acknowledged. */
  more(count: number): Promise<void> {
    const enough = this.acknowledged.length + count;
    return until(() => this.acknowledged.length >= enough, "acknowledgements", 60_000);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #write(writer: number): Promise<void> {
    for (let line = 0; !this.#isOver; line += 1) {
      const process = this.#processes[(writer + line) % this.#processes.length];
      const name = `${this.#id}/${writer}/${line}`;
      if (process !== undefined && (await this.#cluster.add(process, name, PATIENCE_MS)))
        this.#note(name);
      else await delay(20);
    }
  }

  async #read(): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const process = this.#processes[turn % this.#processes.length];
      const known = [...this.acknowledged];
      const names = process && (await this.#cluster.names(process));
      if (names !== undefined) {
        this.stale.push(...missingOf(names, known));
        this.#reads += 1;
      }
      await delay(BETWEEN_READS_MS);
    }
  }

  #note(name: string): void {
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.acknowledged.push(name);
  }
}
