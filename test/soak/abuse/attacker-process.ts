/** A process of its own that attacks. */
import type { Abuse } from "./abuse.ts";
import { ABUSES } from "./abuses.ts";
import type { AttackerTasks } from "./attacker-tasks.ts";
import { serveTasks } from "../task-worker.ts";

function abuseOf(name: string): Abuse {
  const abuse = ABUSES.find((each) => each.name === name);
  if (abuse === undefined) throw new Error(`no abuse ${name}`);
  return abuse;
}

// A connection that breaks at a bad moment is what attacks are about.
process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return;
  throw error;
});

serveTasks<AttackerTasks>({
  async prepare({ name, site, amount }) {
    await abuseOf(name).prepare?.(site, amount);
    return undefined;
  },
  attack: async ({ name, site, amount }) => abuseOf(name).attack(site, amount),
});
