import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServerProcess } from "../e2e/server-process.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/socket-until.ts";
import { controlsOf, type Edit, type Mutants, mutantOf } from "./abuse/mutant.ts";
import { KEY } from "./once/once-request.ts";
import { OnceRun } from "./once/once-run.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/** After so many answers a server is killed, at most. */
const MOST_ANSWERED = 40;
/** Against what hangs. */
const PATIENCE_MS = 120_000;
const ENVIRONMENT = { OUTLINE_API_KEY: KEY, OUTLINE_EXPORT_LIMIT_MS: "0" };

/** Ends the server now and then when a change is on the disk and nobody has its answer yet. */
const dyingUnanswered: Edit = [
  "const attempted = await attempt();",
  `const attempted = await attempt();
    if (once !== undefined && Math.random() < 1 / 16) process.kill(process.pid, "SIGKILL");`,
];

const CONTROLS: Mutants = {
  "keeps-answers-in-memory": {
    wrong: "what was answered is not stored with what has changed",
    edits: [["batch.receipts.added.push(...receipts.added);", ""]],
  },
};

/** Programs that send again, with the same `Idempotency-Key`, whatever was not answered. */
export const onceKillsRow: SoakRow = {
  name: "once-kills",
  fault:
    "kill -9 of the server while programs write, also between a change and its answer; what was not answered is sent again with the same Idempotency-Key",
  goal: "each request is done once, and answered as it was done",
  unit: "kills",
  full: 200,
  short: 4,
  budgetMs: 60 * 60_000,
  controls: controlsOf(CONTROLS),
  async run({ amount, seed, control, goesOn }) {
    const random = seededRandom(seed);
    const data = await mkdtemp(join(tmpdir(), "outline-once-kills-"));
    const broken = control === undefined ? [] : (CONTROLS[control]?.edits ?? []);
    const start = (edits: readonly Edit[]): Promise<ServerProcess> =>
      startServerProcess({
        data,
        environment: ENVIRONMENT,
        ...(edits.length > 0 && mutantOf({ edits })),
      });
    const run = new OnceRun(random);
    const failures: string[] = [];
    let server: ServerProcess | undefined;
    let done = 0;
    let died = 0;
    try {
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        // Every other one ends by itself, where no kill from outside would be sure to meet it.
        const isDying = done % 2 === 0;
        if (isDying) {
          died += 1;
          await server?.stop("SIGKILL");
          server = await start([...broken, dyingUnanswered]);
        }
        server ??= await start(broken);
        const isOver = run.work(server);
        if (!isDying) {
          const enough = run.counts.answered + 1 + integerBelow(random, MOST_ANSWERED);
          await until(() => run.counts.answered >= enough, "answers", PATIENCE_MS);
          await server.stop("SIGKILL");
        }
        await isOver;
        await server.ended;
        server = await start(broken);
        const wrong = await run.sendAgain(server);
        failures.push(...wrong.map((what) => `seed ${seed}, kill ${done}: ${what}`));
      }
    } catch (error) {
      failures.push(`seed ${seed}, kill ${done}: ${String(error)}`);
    } finally {
      await server?.stop("SIGKILL");
      await rm(data, { recursive: true, force: true });
    }
    const { again, doneBefore } = run.counts;
    if (failures.length === 0 && doneBefore < died) {
      failures.push("kills did not come between a change and its answer");
    }
    const figures = {
      requests: run.requests.length,
      "sent again": again,
      "sent again, and done before": doneBefore,
    };
    return { done, failures, figures };
  },
};
