/** Two devices of a user whom nobody attacks, in a process of their own: they wait for the server only. */
import { Pair } from "../connections/pair.ts";
import type { NeighboursRole } from "./neighbours.ts";
import { processorMs } from "./processor-time.ts";

/** What a keystroke waits for on a machine of its own: no longer than the server worked meanwhile. */
function timeOfServer(pid: number): () => () => number {
  return () => {
    const startedAt = performance.now();
    const worked = processorMs(pid);
    return () => {
      const tookMs = performance.now() - startedAt;
      const now = processorMs(pid);
      return worked === undefined || now === undefined ? tookMs : Math.min(tookMs, now - worked);
    };
  };
}

async function type({ url, key, serverPid }: NeighboursRole): Promise<void> {
  const pair = await Pair.open(url, key, timeOfServer(serverPid));
  const stop = new AbortController();
  process.once("message", () => stop.abort());
  process.send?.("typing");
  await pair.typeUntil(stop.signal);
  pair.close();
  process.send?.(pair.latenciesMs);
}

process.once("message", (role: NeighboursRole) => void type(role));
process.once("disconnect", () => process.exit());
