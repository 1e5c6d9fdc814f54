import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { expect } from "vitest";

import { runs } from "../support/runs.ts";
import { startService } from "../support/service.ts";
import { Api } from "./support/api.ts";
import { newUserName, test } from "./support/api-test.ts";
import { ModelRun } from "./support/model-run.ts";
import { step } from "./support/model-steps.ts";

/**
 * More runs, or another seed, can be asked for by environment. Without that the runs are always the
 * same: what a change breaks is found with the change.
 */
const RUNS = Number(process.env["MODEL_RUNS"] ?? runs(8, 24));
const SEED = Number(process.env["MODEL_SEED"] ?? 1);

/** After this long the shrinking of a failure ends with the best that it has. */
const LIMITS = { interruptAfterTimeLimit: 200_000 + 20_000 * RUNS, markInterruptAsFailure: true };

/** Everything that a run can be answered; a test in which one never came up shows too little. */
const OUTCOMES = [
  "create 200, create 404 not_found, update 200, update 404 not_found",
  "move 200, move 404 not_found, move 400 invalid_parent, refused 400 invalid_request",
  "complete 200, complete 404 not_found, uncomplete 200, uncomplete 404 not_found",
  "remove 200, remove 404 not_found, retrieve 200, retrieve 404 not_found",
  "list 200, list 404 not_found, point 200, point 404 not_found, unpoint 200, unpoint 404 not_found",
].flatMap((line) => line.split(", "));

test(
  "[N8, N11, N18, N25, N27, N36, N37] random operations answer as the plainest model of an outline does",
  { timeout: 240_000 + RUNS * 20_000 },
  async ({ service, clock }) => {
    console.log(`model seed ${SEED}`);
    const outcomes = new Set<string>();
    const steps = fc.array(step, { minLength: 150, maxLength: 250, size: "max" });
    const behaves = fc.asyncProperty(steps, async (sequence) => {
      clock.reset();
      const { key } = await service.newUser(newUserName());
      const run = new ModelRun(new Api(service.url, key), clock);
      try {
        for (const [index, each] of sequence.entries()) {
          await run.take(each);
          if (index % 16 === 15) await run.checkAll();
        }
        await run.checkAll();
      } catch (cause) {
        throw new Error(`after\n${run.log.join("\n")}`, { cause });
      }
      for (const outcome of run.outcomes) outcomes.add(outcome);
    });
    await fc.assert(behaves, { numRuns: RUNS, seed: SEED, ...LIMITS });
    expect([...outcomes].toSorted()).toEqual(OUTCOMES.toSorted());
  },
);

test("[N42] nor does a restart in between change an answer", async ({ clock }) => {
  console.log(`model seed ${SEED}`);
  clock.reset();
  const folder = await mkdtemp(join(tmpdir(), "outline-"));
  const start = () => startService({ store: "level", folder, now: clock.now, exportLimitMs: 0 });
  let service = await start();
  try {
    const { key } = await service.newUser(newUserName());
    const run = new ModelRun(new Api(service.url, key), clock);
    const [steps = []] = fc.sample(
      fc.array(step, { minLength: 400, maxLength: 400, size: "max" }),
      {
        numRuns: 1,
        seed: SEED,
      },
    );
    for (const [index, each] of steps.entries()) {
      await run.take(each);
      if (index % 40 !== 39) continue;
      await service.close();
      service = await start();
      run.reconnect(new Api(service.url, key));
      await run.checkAll();
    }
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
});
