/** A process of its own in which people work whom nobody attacks. */
import { Bystander } from "./bystander.ts";
import type { BystanderTasks } from "./bystander-tasks.ts";
import { QuietReader } from "./quiet-reader.ts";
import { serveTasks } from "../task-worker.ts";
import { WaitLog } from "./wait-log.ts";

let log = new WaitLog(0);
let reader: QuietReader | undefined;
let bystanders: readonly Bystander[] = [];

serveTasks<BystanderTasks>({
  async begin({ people, reader: readerPlace, serverPid, pace }) {
    log = new WaitLog(serverPid);
    reader = await QuietReader.begin(readerPlace, log);
    bystanders = await Promise.all(people.map((place) => Bystander.begin(place, pace, log)));
    // What it took to begin is no wait.
    log.take();
    return undefined;
  },
  look: async () => log.take(),
  async end() {
    await Promise.all([reader?.end(), ...bystanders.map((each) => each.rest())]);
    const waits = log.take();
    // That all look at once at what is there is no part of their work.
    await Promise.all(bystanders.map((each) => each.end()));
    return { ...waits, failures: [...waits.failures, ...log.take().failures] };
  },
});
