import { inSimulatedTime } from "../../simulation/simulated-time.ts";
import { FAULTS } from "./simulated-faults.ts";
import { type Defects, SimulatedWorld } from "./simulated-world.ts";

const MINUTE_MS = 60_000;
const LONGEST_PEACE_MS = 4000;
/** Of every so many seeds one has a database that is failed over, and kills no process: see P106. */
const FAILOVER_EVERY = 5;
const STANDBY_AT_MS = 20_000;

export interface ClusterReport {
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** A minute of several processes on a database, in which one thing after the other breaks. */
export async function simulateCluster(seed: number, defects: Defects = {}): Promise<ClusterReport> {
  const world = new SimulatedWorld(seed, defects);
  const { agenda, counts } = world;
  const random = agenda.fork();
  const isFailedOver = seed % FAILOVER_EVERY === 0;
  const names = Object.keys(FAULTS).filter(
    (name) => !isFailedOver || !["killed", "drained"].includes(name),
  );
  const breakSomething = (): void => {
    agenda.after(random() * LONGEST_PEACE_MS, () => {
      const name = names[Math.floor(random() * names.length)] ?? "";
      if (agenda.elapsed() >= MINUTE_MS) return;
      if (world.hasProcess) {
        world.count(name);
        FAULTS[name]?.(world, random);
      }
      breakSomething();
    });
  };
  return inSimulatedTime(agenda, async () => {
    breakSomething();
    if (isFailedOver) {
      agenda.after(STANDBY_AT_MS, () => {
        const standby = world.database.copy();
        agenda.after(random() * 1000, () => {
          world.count("failed over");
          world.failOver(standby);
        });
      });
    }
    await agenda.run(() => agenda.elapsed() >= MINUTE_MS);
    await world.settle();
    const failures = world.failures.map((failure) => `seed ${seed}: ${failure}`);
    return { failures, counts };
  });
}
