import { Session } from "node:inspector/promises";

/**
 * How often functions of the product and of Yjs are called while `work` goes on: a measure of what it
 * costs that is the same on every machine, however busy. What a built-in function does within a call
 * is not seen.
 */
export async function callsOf(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    let calls = 0;
    for (const { url, functions } of result) {
      if (!/\/(src|client|yjs|lib0)\//.test(url)) continue;
      for (const { ranges } of functions) calls += ranges[0]?.count ?? 0;
    }
    return calls;
  } finally {
    session.disconnect();
  }
}
