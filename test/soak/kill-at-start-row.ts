import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../src/core/node-key.ts";
import { call } from "../e2e/program-folder.ts";
import { keyIn, PROGRAM, runProgram, startServerProcess } from "../e2e/server-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { builtServer, composedServer } from "./kill/composition.ts";
import { changesIn, type KnownFolder, makeKnownFolder } from "./kill/known-folder.ts";
import { killYoung, type YoungAge } from "./kill/young-server.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/** What a server is started on that is killed at once. */
const STARTS = ["on nothing", "after a crash", "after a stop", "of a repair"] as const;
/** Of the first servers on each of them, of the next, and so on. */
const AGES: readonly YoungAge[] = ["when-it-works", "at-any-time", "when-it-works"];
/** Of a first start, which has something to say. */
const FIRST_AGES: readonly YoungAge[] = ["when-it-works", "when-it-speaks", "at-any-time"];
type Start = (typeof STARTS)[number];

interface Round {
  readonly data: string;
  readonly known: KnownFolder;
  readonly random: Random;
  /** How many were started on the same before. */
  readonly turn: number;
  readonly isBroken: boolean;
  readonly count: (what: string) => void;
}

/** Servers that are killed while they start, for the first time or again, and repairs. */
export const killAtStartRow: SoakRow = {
  name: "kill-at-start",
  fault: "kill -9 within 500 ms of a start, the first or another one, and of a repair",
  goal: "0 acknowledged writes lost, 0 outlines that don't load, no printed key that is none",
  unit: "kills",
  full: 100,
  short: 4,
  budgetMs: 30 * 60_000,
  controls: { "prints-keys-early": "the first key is printed before it is on the disk" },
  async run({ amount, seed, control, goesOn }) {
    const random = seededRandom(seed);
    const path = await mkdtemp(join(tmpdir(), "outline-young-"));
    const failures: string[] = [];
    const figures: Record<string, number> = { "killed at work": 0, "killed ready": 0 };
    const count = (what: string): void => void (figures[what] = (figures[what] ?? 0) + 1);
    let done = 0;
    try {
      const known = await makeKnownFolder(path, random);
      const isBroken = control !== undefined;
      const data = join(path, "data");
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const start = isBroken ? "on nothing" : STARTS[done % STARTS.length];
        if (start === undefined) throw new Error("a start for every kill");
        await rm(data, { recursive: true, force: true });
        const turn = Math.floor(done / STARTS.length);
        const round: Round = { data, known, random, turn, isBroken, count };
        const starting = start === "on nothing" ? firstStart(round) : anotherStart(start, round);
        // Such as that the next server did not come up.
        const found = await starting.catch((error: unknown) => [String(error)]);
        failures.push(...found.map((failure) => `seed ${seed}, kill ${done} ${start}: ${failure}`));
      }
    } finally {
      await rm(path, { recursive: true, force: true });
    }
    if (failures.length === 0 && figures["killed at work"] === 0) {
      failures.push("no server was killed at work");
    }
    return { done, failures, figures };
  },
};

/** A key that was printed works; when none was, the next start prints one, or the command makes one. */
async function firstStart({
  data,
  random,
  turn,
  isBroken,
  count,
}: Round): Promise<readonly string[]> {
  const age = isBroken ? "when-it-speaks" : ageOf(FIRST_AGES, turn);
  const options = isBroken
    ? composedServer(data, { broken: "acknowledges-early" })
    : builtServer(data);
  const { out, stage } = await killYoung(options, age, random);
  count(`killed ${stage}`);
  const server = await startServerProcess(builtServer(data));
  try {
    let key = keyIn(out) || server.key;
    if (key === "") {
      count("users whose first key nobody saw");
      key = keyOf((await runProgram(["key", "add", "--user", "me"], { data })).out);
    }
    const { status } = await call(server, key, "GET", "nodes");
    return status === 200 ? [] : [`the key that was printed is answered ${status}`];
  } finally {
    await server.stop("SIGKILL");
  }
}

function ageOf(ages: readonly YoungAge[], turn: number): YoungAge {
  return ages[turn % ages.length] ?? "at-any-time";
}

function keyOf(out: string): string {
  return /ok_\w+/.exec(out)?.[0] ?? "";
}

async function anotherStart(
  start: Exclude<Start, "on nothing">,
  { data, known, random, turn, count }: Round,
): Promise<readonly string[]> {
  await cp(start === "after a stop" ? known.closed : known.crashed, data, { recursive: true });
  if (start === "of a repair") {
    // Nothing is lost by it, and everything has to be read and written anew.
    await writeFile(join(data, "store", "CURRENT"), "nonsense");
    const repair = ["repair", "--keep-keys"];
    const program = { ...builtServer(data), program: [PROGRAM, ...repair] };
    const killed = await killYoung(program, "when-it-works", random).catch(() => undefined);
    count(killed === undefined ? "repairs that were faster" : "repairs killed at work");
    const again = await runProgram(repair, { data });
    if (again.code !== 0) return [`the next repair ends with ${again.code}: ${again.err}`];
  } else {
    const { stage } = await killYoung(builtServer(data), ageOf(AGES, turn), random);
    count(`killed ${stage}`);
  }
  const server = await startServerProcess(builtServer(data));
  try {
    const changes = await changesIn(server.url, known);
    const remains = (await readdir(data)).filter((name) => /\.(salvaged|repairing)$/.test(name));
    return [...changes, ...remains.map((name) => `${name} is left over`)];
  } finally {
    await server.stop("SIGKILL");
  }
}
