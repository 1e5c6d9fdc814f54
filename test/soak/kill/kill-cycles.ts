import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../../src/core/node-key.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { isEnoughOf, type SoakResult, type SoakTask } from "../soak-row.ts";
import { addUsers, Population } from "./population.ts";

export interface KillCycles extends SoakTask {
  /** Starts a server on a data folder. */
  readonly start: (data: string, random: Random) => Promise<ServerProcess>;
  /** After so many kills everything begins anew, so that the outlines stay small. */
  readonly killsInAFolder: number;
  /** Waits, while everybody works, until the server is to be killed, or has killed itself. */
  readonly workUp: (server: ServerProcess, random: Random, population: Population) => Promise<void>;
}

/**
 * Kills a server again and again while users work at it, and reads everything back from the next one
 * on the same folder.
 */
export async function killCycles(cycles: KillCycles): Promise<SoakResult> {
  const run = new KillRun(cycles);
  while (!run.isOver()) {
    const path = await mkdtemp(join(tmpdir(), "outline-kill-"));
    try {
      await run.workIn(join(path, "data"));
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }
  return run.result();
}

class KillRun {
  readonly #cycles: KillCycles;
  readonly #random: Random;
  readonly #failures: string[] = [];
  readonly #totals = { acknowledged: 0, open: 0, landed: 0, hits: 0, starts: 0, startMs: 0 };
  #kills = 0;

  constructor(cycles: KillCycles) {
    this.#cycles = cycles;
    this.#random = seededRandom(cycles.seed);
  }

  isOver(): boolean {
    const { amount, control, goesOn } = this.#cycles;
    return this.#kills >= amount || isEnoughOf(this.#failures, control) || !goesOn(this.#kills);
  }

  /** A life of a data folder: kills until it is old, or something of it is lost. */
  async workIn(data: string): Promise<void> {
    const { killsInAFolder, workUp } = this.#cycles;
    const keys = await addUsers(data);
    let population: Population | undefined;
    for (let age = 0; age <= killsInAFolder; age++) {
      const server = await this.#start(data);
      if (server === undefined) return;
      try {
        if (population === undefined) {
          population = await Population.settle(server.url, keys, this.#random);
        } else if (!(await this.#isAllThere(population, server))) {
          return;
        }
        if (this.isOver() || age === killsInAFolder) return;
        const before = population.acknowledged;
        const working = population.workUntilEnd(server);
        await workUp(server, this.#random, population);
        await server.stop("SIGKILL");
        this.#kills++;
        this.#totals.acknowledged += population.acknowledged - before;
        this.#fail(await working);
      } finally {
        await server.stop("SIGKILL");
      }
    }
  }

  result(): SoakResult {
    const { hits, acknowledged, open, landed, startMs, starts } = this.#totals;
    if (this.#failures.length === 0 && hits < this.#kills / 2) {
      this.#fail([`only ${hits} kills met work under way`]);
    }
    return {
      done: this.#kills,
      failures: this.#failures,
      figures: {
        "kills that met unacknowledged edits": hits,
        "acknowledged edits": acknowledged,
        "edits under way at a kill": open,
        "edits under way that were kept": landed,
        "mean ms of a start": Math.round(startMs / Math.max(1, starts)),
      },
    };
  }

  /** Undefined, and a failure, when it does not come up. */
  async #start(data: string): Promise<ServerProcess | undefined> {
    const startedAt = performance.now();
    try {
      return await this.#cycles.start(data, this.#random);
    } catch (error) {
      this.#fail([String(error)]);
      return undefined;
    } finally {
      this.#totals.starts++;
      this.#totals.startMs += performance.now() - startedAt;
    }
  }

  async #isAllThere(population: Population, server: ServerProcess): Promise<boolean> {
    const { failures, open, landed } = await population.check(server.url);
    this.#totals.open += open;
    this.#totals.landed += landed;
    if (open > 0) this.#totals.hits++;
    this.#fail(failures);
    return failures.length === 0;
  }

  #fail(whats: readonly string[]): void {
    const where = `seed ${this.#cycles.seed}, kill ${this.#kills}`;
    this.#failures.push(...whats.map((what) => `${where}: ${what}`));
  }
}
