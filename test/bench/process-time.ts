import { readdir, readFile } from "node:fs/promises";

/**
 * Processor microseconds that a process has used, all its threads and what the kernel did for them
 * together. Reads `/proc`, so it needs Linux; unlike what `ps` shows it counts nanoseconds.
 */
export async function cpuUsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const schedule = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      return Number(schedule.split(" ")[0]) / 1000;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}

/** Bytes of memory that a process has in use now. */
export async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Bytes that a process has had written to the disk so far. */
export async function writtenBytesOf(pid: number): Promise<number> {
  const io = await readFile(`/proc/${pid}/io`, "utf8");
  return Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);
}
