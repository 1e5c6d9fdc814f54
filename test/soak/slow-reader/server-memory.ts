import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess } from "../../e2e/server-process.ts";

const COLLECTED_EVERY_MS = 250;
/** For so many looks it has to stay: a snapshot that is being stored is held for seconds on a busy machine. */
const LOOKS = 20;
/** What counts as less than before. */
const LESS_MIB = 1;

/**
 * Options of Node for a server whose figures are of what it holds, and not of what it has not
 * collected yet.
 */
export const COLLECTING = [
  "--expose-gc",
  "--import",
  `data:text/javascript,setInterval(gc, ${COLLECTED_EVERY_MS}).unref()`,
];

const MIB = 1024 * 1024;

export interface ServerMemory {
  /** Heap and buffers. */
  readonly heldMiB: number;
  readonly residentMiB: number;
}

/** A figure of `/metrics`: the sum over its labels. */
export async function metricOf(server: ServerProcess, name: string): Promise<number> {
  const [figure = 0] = await metricsOf(server, [name]);
  return figure;
}

/** The same for several of them, as they are at one moment. */
export async function metricsOf(
  { url }: Pick<ServerProcess, "url">,
  names: readonly string[],
): Promise<readonly number[]> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  return names.map((name) =>
    lines
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0),
  );
}

/** What the server keeps while nothing happens: when that gets no less any more. */
export async function memoryAtRest(server: ServerProcess): Promise<ServerMemory> {
  let least = { heldMiB: Infinity, residentMiB: Infinity };
  for (let looks = 0; looks < LOOKS; looks++) {
    // Between two looks everything has been collected at least once.
    await delay(2 * COLLECTED_EVERY_MS);
    const { heldMiB, residentMiB } = await memoryNow(server);
    if (heldMiB < least.heldMiB - LESS_MIB) looks = 0;
    least = {
      heldMiB: Math.min(least.heldMiB, heldMiB),
      residentMiB: Math.min(least.residentMiB, residentMiB),
    };
  }
  return least;
}

/** The most that the server has while something goes on, what is not collected yet included. */
export async function peakWhile(
  server: ServerProcess,
  work: () => Promise<void>,
): Promise<ServerMemory> {
  const looks: ServerMemory[] = [];
  const done = new AbortController();
  const look = async (): Promise<void> => {
    while (!done.signal.aborted) {
      looks.push(await memoryNow(server));
      await delay(COLLECTED_EVERY_MS);
    }
  };
  const looking = look();
  try {
    await work();
  } finally {
    done.abort();
    await looking;
  }
  return {
    heldMiB: Math.max(...looks.map(({ heldMiB }) => heldMiB)),
    residentMiB: Math.max(...looks.map(({ residentMiB }) => residentMiB)),
  };
}

async function memoryNow(server: ServerProcess): Promise<ServerMemory> {
  const [heap, external, resident] = await Promise.all([
    metricOf(server, "nodejs_heap_size_used_bytes"),
    metricOf(server, "nodejs_external_memory_bytes"),
    metricOf(server, "process_resident_memory_bytes"),
  ]);
  return { heldMiB: (heap + external) / MIB, residentMiB: resident / MIB };
}
