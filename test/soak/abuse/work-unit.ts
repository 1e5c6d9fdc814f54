const ROUNDS = 7;
const STEPS = 1_000_000;

let known: number | undefined;

/**
 * Milliseconds that this machine takes for a fixed piece of work, about one on a usual one: by it
 * times are judged that are to mean the same on every machine.
 */
export function unitMs(): number {
  if (known !== undefined) return known;
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    let hash = 0x811c9dc5 + round;
    for (let step = 0; step < STEPS; step++) hash = Math.imul(hash ^ (hash >>> 15), 0x01000193);
    const { user, system } = process.cpuUsage(before);
    // What is computed has to be used, or it need not be computed.
    if (hash !== 0) best = Math.min(best, (user + system) / 1000);
  }
  known = best;
  return best;
}
