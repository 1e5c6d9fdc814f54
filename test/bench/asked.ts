import type { BenchProgram } from "./bench-program.ts";

/** What an answer has cost. */
export interface Answered {
  /** Processor milliseconds of the server. */
  readonly cpuMs: number;
  /** From the request until the last byte was read. */
  readonly wholeMs: number;
  /** The longest time that the server's event loop stood still meanwhile. */
  readonly stallMs: number;
  readonly bytes: number;
}

/** Asks a program that does nothing else meanwhile. @throws for any answer but a good one */
export async function asked(program: BenchProgram, path: string, key: string): Promise<Answered> {
  await longestLagMs(program);
  const before = await program.cpuUs();
  const startedAt = performance.now();
  const { length } = await textOf(program, path, key);
  const wholeMs = performance.now() - startedAt;
  const cpuMs = ((await program.cpuUs()) - before) / 1000;
  return { cpuMs, wholeMs, stallMs: await longestLagMs(program), bytes: length };
}

/** What it answers, which comes as it is and not packed. */
export async function textOf({ url }: BenchProgram, path: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "accept-encoding": "identity" };
  const response = await fetch(url + path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

/** How long the event loop stood still at most since this was last asked, as the process tells it. */
async function longestLagMs(program: BenchProgram): Promise<number> {
  const metrics = await textOf(program, "/metrics", "");
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1];
  return Number(seconds) * 1000;
}
