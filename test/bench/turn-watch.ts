import { readFileSync } from "node:fs";

/** The longest turn of the event loop in some time. */
export interface LongestTurn {
  /** By the clock: on a machine that does other things too, their share is in it. */
  readonly ms: number;
  /** Processor time of this thread alone; the clock's where the kernel doesn't tell. */
  readonly cpuMs: number;
}

/** The longest turn of the event loop while `work` is under way, seen by something that is in each. */
export async function longestTurn(work: () => Promise<unknown>): Promise<LongestTurn> {
  let ms = 0;
  let cpuMs = 0;
  let isOver = false;
  const watching = new Promise<void>((resolve) => {
    let at = performance.now();
    let cpuAt = threadCpuMs();
    const look = (): void => {
      const now = performance.now();
      const cpuNow = threadCpuMs();
      ms = Math.max(ms, now - at);
      cpuMs = Math.max(cpuMs, cpuNow - cpuAt);
      at = now;
      cpuAt = cpuNow;
      if (isOver) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
  });
  try {
    await work();
  } finally {
    isOver = true;
  }
  await watching;
  return { ms, cpuMs };
}

/** The first number of this file is the nanoseconds that the thread has run. */
function threadCpuMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
