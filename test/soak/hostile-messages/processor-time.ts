import { readFileSync } from "node:fs";

/**
 * Milliseconds that the main thread of a process has worked, by the kernel's count: time that others
 * use on the machine is not in it. Undefined where that can't be had.
 */
export function processorMs(pid: number | "self"): number | undefined {
  try {
    const [nanoseconds = ""] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
