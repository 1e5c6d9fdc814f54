import { setTimeout as delay } from "node:timers/promises";
import type { AttackedService, Memory } from "./attacked-service.ts";
import type { Form } from "./form.ts";

const LOOK_EVERY_MS = 250;
/** By how much the same server differs from itself. */
const HELD_NOISE_MIB = 24;
/** What an open outline really takes, of what is estimated. */
const OUTLINE_FACTOR = 1.6;

/** Looks at the memory of a server while something goes on. */
export class MemoryWatch {
  readonly #service: AttackedService;
  readonly #over = new AbortController();
  readonly #looking: Promise<void>;
  #residentMib = 0;

  constructor(service: AttackedService) {
    this.#service = service;
    this.#looking = this.#look();
  }

  /** The most that was resident so far. */
  get residentMib(): number {
    return this.#residentMib;
  }

  /** @returns the most that was resident, in MiB */
  async end(): Promise<number> {
    this.#over.abort();
    await this.#looking;
    return this.#residentMib;
  }

  async #look(): Promise<void> {
    do {
      // A server that is gone has its failure already.
      const memory = await this.#service.memory().catch(() => undefined);
      this.#residentMib = Math.max(this.#residentMib, memory?.residentMib ?? 0);
      await delay(LOOK_EVERY_MS);
    } while (!this.#over.signal.aborted);
  }
}

export interface MemoryBack {
  readonly memory: Memory;
  readonly tookMs: number;
  /** What there is more than before, in words; undefined when it is back. */
  readonly excess: string | undefined;
}

/** Waits until a server has about as much memory as before, and the outlines that it has opened since. */
export async function memoryBack(
  service: AttackedService,
  before: Memory,
  { memoryMs: withinMs, keptMib }: Form,
): Promise<MemoryBack> {
  const startedAt = performance.now();
  for (;;) {
    const memory = await service.memoryAtRest();
    const tookMs = performance.now() - startedAt;
    const stays = OUTLINE_FACTOR * Math.max(0, memory.outlinesMib - before.outlinesMib);
    const heldMib = memory.heldMib - before.heldMib - stays;
    const residentMib = memory.residentMib - before.residentMib - stays;
    const isBack = heldMib <= HELD_NOISE_MIB && residentMib <= keptMib;
    if (isBack) return { memory, tookMs, excess: undefined };
    if (tookMs > withinMs) {
      const more = `${heldMib.toFixed(0)} MiB held, ${residentMib.toFixed(0)} MiB resident`;
      const excess = `${Math.round(tookMs / 1000)} s afterwards there is more: ${more}`;
      return { memory, tookMs, excess };
    }
    await delay(LOOK_EVERY_MS);
  }
}
