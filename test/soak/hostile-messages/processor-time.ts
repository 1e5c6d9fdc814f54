import { openSync, readFileSync, readSync } from "node:fs";

/**
 * Milliseconds that the main thread of a process has worked, by the kernel's count: time that others
 * use on the machine is not in it. Undefined where that can't be had.
 */
export function processorMs(pid: number): number | undefined {
  try {
    return millisecondsIn(readFileSync(`/proc/${pid}/schedstat`, "latin1"));
  } catch {
    return undefined;
  }
}

const OWN = openOwn();
const READ = Buffer.alloc(128);

/** The same of this process. Allocates next to nothing: who asks all the time makes no garbage to collect. */
export function ownProcessorMs(): number | undefined {
  if (OWN === undefined) return undefined;
  return millisecondsIn(READ.toString("latin1", 0, readSync(OWN, READ, 0, READ.length, 0)));
}

function openOwn(): number | undefined {
  try {
    return openSync("/proc/self/schedstat", "r");
  } catch {
    return undefined;
  }
}

function millisecondsIn(schedstat: string): number {
  return Number(schedstat.slice(0, schedstat.indexOf(" "))) / 1e6;
}
