import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../support/socket-until.ts";
import type { Cluster, ClusterProcess } from "./cluster.ts";

const WRITERS = 6;

/** Programs that add lines by way of any of some processes, and know what was acknowledged. */
export class Writers {
  readonly acknowledged: string[] = [];
  readonly #id = randomUUID();
  readonly #cluster: Cluster;
  readonly #processes: readonly ClusterProcess[];
  readonly #running: readonly Promise<void>[];
  #acknowledgedAt = performance.now();
  #longestGapMs = 0;
  #isOver = false;

  /** @param processes which may change meanwhile */
  constructor(cluster: Cluster, processes: readonly ClusterProcess[]) {
    this.#cluster = cluster;
    this.#processes = processes;
    this.#running = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer));
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
      if (process !== undefined && (await this.#cluster.add(process, name))) this.#note(name);
      else await delay(20);
    }
  }

  #note(name: string): void {
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.acknowledged.push(name);
  }
}
