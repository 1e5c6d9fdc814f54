import { integerBelow } from "../../support/seeded-random.ts";
import { Faults } from "./faults.ts";
import { leave, settle } from "./settling.ts";
import { inSimulatedTime } from "./simulated-time.ts";
import { type Broken, type Counts, World } from "./world.ts";

export interface Simulated {
  readonly counts: Counts;
  /** What did not hold, in words. */
  readonly failures: readonly string[];
  /** The same for the same seed, whatever else this machine does. */
  readonly digest: string;
}

/** One life of the whole system, as a seed has it: so many things are done, and a lot goes wrong. */
export async function simulate(
  seed: number,
  operations: number,
  broken: Broken = {},
): Promise<Simulated> {
  const world = new World(seed, broken);
  return inSimulatedTime(world.agenda, async () => {
    const failures: string[] = [];
    try {
      await live(world, operations);
    } catch (error) {
      failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    failures.push(...world.defects);
    const { counts, agenda } = world;
    counts["events"] = agenda.events;
    return {
      counts,
      failures: failures.map((failure) => `seed ${seed}: ${failure}`),
      digest: agenda.digest,
    };
  });
}

async function live(world: World, operations: number): Promise<void> {
  const { agenda, random } = world;
  await world.begin();
  const faults = new Faults(world);
  faults.begin();
  let left = operations;
  const goOn = (): void => {
    world.act();
    left -= 1;
    const pauseMs = random() < 0.1 ? 1500 : 150;
    if (left > 0) agenda.after(integerBelow(random, pauseMs), goOn);
  };
  goOn();
  await agenda.run(() => left === 0 || world.defects.length > 0);
  if (world.defects.length > 0) return;
  faults.end();
  await settle(world);
  await leave(world);
}
