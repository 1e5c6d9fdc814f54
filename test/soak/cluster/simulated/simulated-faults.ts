import type { Random } from "../../../../src/core/node-key.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

const HOUR_MS = 3_600_000;

/** What happens to the processes, their lines and the database, each again and again. */
export const FAULTS: Readonly<Record<string, (world: SimulatedWorld, random: Random) => void>> = {
  killed: (world, random) => {
    world.kill(world.anyProcess());
    world.startLater(random() * 3000);
  },
  stopped: (world, random) => world.standStill(world.anyProcess(), 300 + random() * 9000, false),
  asleep: (world, random) => world.standStill(world.anyProcess(), 300 + random() * 9000, true),
  "line hung": (world, random) => {
    const { line } = world.anyProcess();
    const directions = [["up"], ["down"], ["up", "down"]] as const;
    line.hang(...(directions[Math.floor(random() * 3)] ?? []));
    world.agenda.after(300 + random() * 9000, () => line.pass());
  },
  "line reset": (world) => world.anyProcess().line.reset(),
  "line stranded": (world) => world.anyProcess().line.strand(),
  "peers cut": (world, random) => world.cutPeers(500 + random() * 8000),
  "database restarted": (world, random) => {
    world.endDatabase();
    world.agenda.after(100 + random() * 3000, () => world.beginDatabase());
  },
  // One of its own processes has: it is the same server, with all locks free.
  "database crashed": (world, random) => {
    world.endDatabase();
    world.agenda.after(50 + random() * 500, () => world.beginDatabase({ isCrash: true }));
  },
  "clock set": (world, random) => world.setClock((random() - 0.5) * 2 * HOUR_MS),
  drained: (world, random) => {
    world.drain(world.anyProcess());
    world.startLater(500 + random() * 3000);
  },
};
