import { GCProfiler } from "node:v8";

/** Between two collections in a close look: what is garbage by then does not count. */
const LOOK_BYTES = 32 * 2 ** 20;
const FULL_COLLECTION = "MarkSweepCompact";

/** What the profiler says of each collection; Node's types lack it. */
interface Collection {
  readonly gcType: string;
  readonly afterGC: {
    readonly heapStatistics: { readonly usedHeapSize: number; readonly externalMemory: number };
  };
}

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Collects garbage, all of it. @throws Error when Node was started without `--expose-gc` */
export function collect(): void {
  if (globalThis.gc === undefined) throw new Error("to be started with --expose-gc");
  globalThis.gc();
}

/** Sees how much more memory is used than at its beginning, in heap and outside. */
export class MemoryLook {
  readonly #profiler = new GCProfiler();
  readonly #isClose: boolean;
  readonly #before: number;
  #peak = 0;
  #seen: number;

  /** @param isClose whether garbage is left out; that takes more time */
  constructor(isClose: boolean) {
    collect();
    this.#isClose = isClose;
    this.#before = usedBytes();
    this.#seen = this.#before;
    this.#profiler.start();
  }

  /** To be called now and then. */
  look(): void {
    let used = usedBytes();
    if (this.#isClose) {
      if (used < this.#seen + LOOK_BYTES) return;
      collect();
      used = usedBytes();
      this.#seen = used;
    }
    this.#peak = Math.max(this.#peak, used - this.#before);
  }

  /** Bytes: the most that was used at once, and what still is. */
  end(): { readonly peak: number; readonly retained: number } {
    const { statistics } = this.#profiler.stop() as unknown as {
      readonly statistics: readonly Collection[];
    };
    collect();
    const retained = usedBytes() - this.#before;
    for (const { gcType, afterGC } of statistics) {
      // Of a small collection much is left that is garbage.
      if (this.#isClose && gcType !== FULL_COLLECTION) continue;
      const { usedHeapSize, externalMemory } = afterGC.heapStatistics;
      this.#peak = Math.max(this.#peak, usedHeapSize + externalMemory - this.#before);
    }
    return { peak: Math.max(this.#peak, retained), retained };
  }
}
