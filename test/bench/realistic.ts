import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readTrace, type TraceOperation } from "../property/trace-history.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startService } from "../support/service.ts";
import { BenchProgram } from "./bench-program.ts";
import { LoadConnection, type Step, type StepTimes } from "./load-connection.ts";
import { median, percentile } from "./median.ts";
import { serveOutline } from "./planted-outline.ts";
import type { Compared } from "./rest.ts";
import { mainLineOf, TracePerson } from "./trace-person.ts";

export interface RealisticFigures {
  /** Processor microseconds of the server for each request or update. */
  readonly cpuUs: Compared;
  /** Requests and updates a second, each person's one after the other. */
  readonly perSecond: Compared;
  readonly requestP50Ms: Compared;
  readonly requestP99Ms: Compared;
  /** From a device until another device has it, durable. */
  readonly updateP50Ms: Compared;
  readonly updateP99Ms: Compared;
  /** Of all people's outlines together. */
  readonly storedBytes: number;
  readonly residentBytes: number;
  readonly steps: number;
}

interface RoundFigures {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly requestP50Ms: number;
  readonly requestP99Ms: number;
  readonly updateP50Ms: number;
  readonly updateP99Ms: number;
}

const ROUNDS = 3;
/** At a time, each with an outline of their own. */
const PEOPLE = 16;
const OPERATIONS = 40;
const FLOOR = fileURLToPath(new URL("realistic-floor-server.ts", import.meta.url));

/**
 * The recorded histories as a load of requests and keystrokes on the built service, by many people at
 * a time; then the very same messages on the least that could take them.
 */
export async function benchRealistic(): Promise<RealisticFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const data = join(folder, "service");
  const programs: BenchProgram[] = [];
  try {
    const keys = await plantPeople(data, (ROUNDS + 1) * PEOPLE);
    const service = await serveOutline({ data });
    programs.push(service);
    const floor = await BenchProgram.start(["--import", "tsx", FLOOR], {
      FLOOR_FOLDER: join(folder, "floor"),
    });
    programs.push(floor);
    const histories = ["awesome", "awesome-go"].map((name) => mainLineOf(readTrace(name)));
    const ofService: RoundFigures[] = [];
    const ofFloor: RoundFigures[] = [];
    let steps = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const people = keys.slice(round * PEOPLE, (round + 1) * PEOPLE);
      const recorded: (readonly Step[])[] = [];
      const played = await measured(service, people, async (connection, person) => {
        const history = histories[person % histories.length] ?? [];
        recorded[person] = await playOn(connection, history, round * PEOPLE + person);
      });
      const rooms = people.map((_, person) => `${round}-${person}`);
      const replayed = await measured(floor, rooms, (connection, person) =>
        replay(connection, recorded[person] ?? []),
      );
      steps += recorded.reduce((sum, each) => sum + each.length, 0);
      // The first one is for the compiler.
      if (round === 0) continue;
      ofService.push(played);
      ofFloor.push(replayed);
    }
    const compared = (figure: keyof RoundFigures): Compared => ({
      service: ofService.map((each) => each[figure]),
      floor: ofFloor.map((each) => each[figure]),
    });
    return {
      cpuUs: compared("cpuUs"),
      perSecond: compared("perSecond"),
      requestP50Ms: compared("requestP50Ms"),
      requestP99Ms: compared("requestP99Ms"),
      updateP50Ms: compared("updateP50Ms"),
      updateP99Ms: compared("updateP99Ms"),
      storedBytes: await bytesIn(join(data, "store")),
      residentBytes: await service.residentBytes(),
      steps,
    };
  } finally {
    for (const program of programs) await program.stop();
    await rm(folder, { recursive: true });
  }
}

/** A store with so many users, and their keys. */
async function plantPeople(data: string, count: number): Promise<readonly string[]> {
  const service = await startService({ store: "level", folder: join(data, "store") });
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    keys.push((await service.newUser(`person${index}`)).key);
  }
  await service.close();
  return keys;
}

async function playOn(
  connection: LoadConnection,
  history: readonly TraceOperation[],
  seed: number,
): Promise<readonly Step[]> {
  const person = new TracePerson(connection, seededRandom(seed + 1));
  await person.play(history.slice(0, OPERATIONS));
  return person.steps;
}

async function replay(connection: LoadConnection, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === "update") await connection.send(step);
    else {
      const { method, path, body, answerBytes } = step;
      const mark = path.includes("?") ? "&" : "?";
      await connection.request(method, `${path}${mark}bytes=${answerBytes}`, body);
    }
  }
}

/** Lets each person work on a connection of their own, all at once. @param names keys, or rooms */
async function measured(
  program: BenchProgram,
  names: readonly string[],
  work: (connection: LoadConnection, person: number) => Promise<void>,
): Promise<RoundFigures> {
  const socketUrl = `${program.url.replace("http", "ws")}/sync`;
  const connections = await Promise.all(
    names.map((name) =>
      // The service knows from the key whose outline is meant, the floor from the address.
      LoadConnection.open(
        program.url,
        `${socketUrl}/${name.startsWith("ok_") ? "me" : name}`,
        name,
      ),
    ),
  );
  const cpuBefore = await program.cpuUs();
  const startedAt = performance.now();
  await Promise.all(connections.map(work));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuUs = (await program.cpuUs()) - cpuBefore;
  const all = connections.map(({ times }) => times);
  for (const connection of connections) connection.close();
  return figuresOf(all, { cpuUs, seconds });
}

function figuresOf(
  all: readonly StepTimes[],
  { cpuUs, seconds }: { readonly cpuUs: number; readonly seconds: number },
): RoundFigures {
  const requests = all.flatMap(({ requestMs }) => requestMs);
  const updates = all.flatMap(({ updateMs }) => updateMs);
  const count = requests.length + updates.length;
  return {
    cpuUs: cpuUs / count,
    perSecond: count / seconds,
    requestP50Ms: median(requests),
    requestP99Ms: percentile(requests, 0.99),
    updateP50Ms: median(updates),
    updateP99Ms: percentile(updates, 0.99),
  };
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const { storedBytes, residentBytes, steps, ...all } = await benchRealistic();
  const rounded = (values: readonly number[]): number => Number(median(values).toPrecision(3));
  console.table(
    Object.entries(all).map(([name, { service, floor }]) => ({
      name,
      service: rounded(service),
      floor: rounded(floor),
    })),
  );
  console.table([{ storedBytes, residentBytes, steps }]);
}
