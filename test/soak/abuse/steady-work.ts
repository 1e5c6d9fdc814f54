import { setTimeout as delay } from "node:timers/promises";
import type { WaitKind, WaitLog } from "./wait-log.ts";

/** What never comes has failed; a wait that is shorter is only long. */
const LOST_AFTER_MS = 60_000;

/**
 * Work that begins at a steady rate, whatever becomes of what began before: a server that is busy is
 * asked as often as one that is not.
 */
export class SteadyWork {
  readonly #log: WaitLog;
  readonly #stop = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(log: WaitLog) {
    this.#log = log;
  }

  /** @param ms between two; without it there are none */
  every(ms: number | undefined, kind: WaitKind, work: () => Promise<unknown>): void {
    if (ms === undefined) return;
    // Not everybody at the same moment.
    let due = performance.now() + Math.random() * ms;
    const tick = (): void => {
      if (this.#stop.signal.aborted) return;
      for (; due <= performance.now(); due += ms) this.#begin(kind, work);
      setTimeout(tick, Math.max(0, due - performance.now()));
    };
    tick();
  }

  /** Begins no more, and waits for what has begun. */
  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#open);
  }

  #begin(kind: WaitKind, work: () => Promise<unknown>): void {
    const wait = this.#log.begin(kind);
    const done = inTime(work())
      .catch((error: unknown) => this.#log.failed(String(error)))
      .then(() => wait.end())
      .finally(() => this.#open.delete(done));
    this.#open.add(done);
  }
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const overdue = delay(LOST_AFTER_MS, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error("no answer");
  });
  overdue.catch(() => undefined);
  try {
    await Promise.race([work, overdue]);
  } finally {
    over.abort();
  }
}
