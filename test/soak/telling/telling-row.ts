import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../../e2e/program-folder.ts";
import { type ServerProcess, startServerProcess } from "../../e2e/server-process.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";
import { until } from "../../support/socket-until.ts";
import { controlsOf, type Mutants, mutantOf } from "../abuse/mutant.ts";
import { isEnoughOf, type SoakRow } from "../soak-row.ts";
import { KEY, type Listener } from "./listener.ts";

/** Messages that arrive before a kill, at most. */
const MOST_ARRIVED = 3;
/** Against what hangs. */
const PATIENCE_MS = 120_000;

interface Telling extends Pick<SoakRow, "name" | "fault" | "goal"> {
  readonly open: () => Promise<Listener>;
  /** Whether something is written to the next server before all has to be told. */
  readonly isWrittenTo: boolean;
  readonly controls: Mutants;
}

/**
 * Somebody who is told of changes, by a server that is killed again and again while a program writes. Of
 * every other server the last message, or more, is lost on its way.
 */
export function tellingRow({ open, isWrittenTo, controls, ...row }: Telling): SoakRow {
  return {
    ...row,
    unit: "kills",
    full: 200,
    short: 4,
    budgetMs: 60 * 60_000,
    controls: controlsOf(controls),
    async run({ amount, seed, control, goesOn }) {
      const random = seededRandom(seed);
      const data = await mkdtemp(join(tmpdir(), `outline-${row.name}-`));
      const listener = await open();
      const mutant = control === undefined ? undefined : controls[control];
      const environment = { OUTLINE_API_KEY: KEY, OUTLINE_WEBHOOK_INSECURE: "true" };
      const start = async (): Promise<ServerProcess> => {
        const started = await startServerProcess({
          data,
          environment,
          ...(mutant !== undefined && mutantOf(mutant)),
        });
        await listener.attend(started);
        return started;
      };
      const answered: string[] = [];
      const failures: string[] = [];
      let server = await start();
      let done = 0;
      try {
        for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
          const written = write(server, answered);
          for (let left = integerBelow(random, MOST_ARRIVED) + 1; left > 0; left--) {
            await next(listener);
          }
          if (done % 2 === 0) {
            listener.deafen();
            await next(listener);
          }
          await server.stop("SIGKILL");
          await written;
          server = await start();
          if (isWrittenTo) answered.push(await create(server));
          await until(
            () => isComplete(listener, answered) || wrongIn(listener, answered) !== undefined,
            "all that was answered to be told",
            PATIENCE_MS,
          );
          const wrong = wrongIn(listener, answered);
          if (wrong !== undefined) failures.push(`seed ${seed}, kill ${done}: ${wrong}`);
        }
      } catch (error) {
        failures.push(`seed ${seed}, kill ${done}: ${String(error)}`);
      } finally {
        await server.stop("SIGKILL");
        listener.close();
        await rm(data, { recursive: true, force: true });
      }
      if (failures.length === 0 && answered.length <= 2 * done) {
        failures.push("too little was written");
      }
      return {
        done,
        failures,
        figures: { messages: listener.arrived, changes: answered.length },
      };
    },
  };
}

async function next(listener: Listener): Promise<void> {
  const { arrived } = listener;
  await until(() => listener.arrived > arrived, "a message", PATIENCE_MS);
}

/** Makes one node after the other until the server is gone, and notes those that were answered. */
async function write(server: ServerProcess, answered: string[]): Promise<void> {
  for (;;) {
    const id = await create(server).catch(() => undefined);
    if (id === undefined) return;
    answered.push(id);
  }
}

async function create(server: ServerProcess): Promise<string> {
  const { body } = await call(server, KEY, "POST", "nodes", { name: "node" });
  return (body as { readonly item_id: string }).item_id;
}

function isComplete({ told }: Listener, answered: readonly string[]): boolean {
  return answered.every((id) => told.has(id));
}

/** Why it is not as it should be; to be asked when nothing is being written. */
function wrongIn({ told }: Listener, answered: readonly string[]): string | undefined {
  const known = new Set(answered);
  const inOrder = [...told].filter((id) => known.has(id));
  const from = inOrder.findIndex((id, index) => id !== answered[index]);
  if (from === -1) return undefined;
  return `change ${from} of ${answered.length} was not told, or not in its turn`;
}
