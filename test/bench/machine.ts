import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** What the figures were measured on. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly platform: string;
}

export function thisMachine(): Machine {
  return {
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
  };
}

/** Processes that wanted to run, on average of the last minute: above the cores, others disturbed. */
export function loadNow(): number {
  return Number((loadavg()[0] ?? Number.NaN).toFixed(1));
}
