import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grownDocument } from "../bench/grown-document.ts";
import {
  type ProgramOptions,
  type ServerProcess,
  startServerProcess,
} from "../e2e/server-process.ts";
import { call } from "../e2e/program-folder.ts";
import { builtProgram } from "../support/built-program.ts";
import { plantUsers } from "../support/plant-users.ts";
import { quantileOf, ReturningDevices } from "../support/returning-devices.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { metricOf } from "./slow-reader/server-memory.ts";
import type { SoakResult, SoakRow } from "./soak-row.ts";

const NODES = 30;
const OPENING_AT_HELLO = builtProgram("return/opening-at-hello.ts", import.meta.url);

/** Everybody comes back after a crash, each to an outline of their own. */
export const returnRow: SoakRow = {
  name: "return",
  fault: "1,000 devices of as many users come back after `kill -9`, half of them with edits",
  goal: "no outline is opened for who misses nothing; all edits are there after another kill",
  unit: "devices",
  full: 1_000,
  short: 60,
  budgetMs: 20 * 60_000,
  controls: { "opens-at-hello": "a server that opens the outline of each that comes" },
  async run({ amount, seed, control }) {
    const folder = await mkdtemp(join(tmpdir(), "outline-return-"));
    try {
      const data = join(folder, "data");
      const keys = await plantUsers(data, amount, grownDocument(NODES, seededRandom(seed)));
      return await comeBack(programOf(data, control), keys);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

function programOf(data: string, control: string | undefined): ProgramOptions {
  const environment = {
    OUTLINE_LOG_LEVEL: "error",
    // All of them come from one.
    OUTLINE_MAX_CONNECTIONS_PER_ADDRESS: "10000",
  };
  if (control === undefined) return { data, environment };
  return { data, environment, program: [OPENING_AT_HELLO] };
}

async function comeBack(options: ProgramOptions, keys: readonly string[]): Promise<SoakResult> {
  const devices = new ReturningDevices(keys);
  let server = await startServerProcess(options);
  const startAgain = async (signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> => {
    await server.stop(signal);
    devices.leave();
    server = await startServerProcess(options);
  };
  try {
    // That an outline has a device is noted when the first one comes, and is durable a moment later.
    await devices.come(server.url);
    await startAgain("SIGTERM");
    await devices.come(server.url);
    await startAgain();
    devices.edit((index) => `edit ${index}`);
    const idleCpuMs = await cpuMsOf(server);
    const waits = await devices.come(server.url, "others");
    const cpuMs = (await cpuMsOf(server)) - idleCpuMs;
    const opened = await metricOf(server, "outline_documents_open");
    const waitsToSave = await devices.come(server.url, "editing");
    await startAgain();
    const lost = await lostOf(server, keys);
    return {
      done: keys.length,
      failures: [
        ...(opened > 0 ? [`${opened} outlines were opened for devices that miss nothing`] : []),
        ...(devices.refused > 0 ? [`${devices.refused} edits were refused`] : []),
        ...lost.map((index) => `edit ${index} was saved, and is lost`),
      ],
      figures: {
        cpuMsADevice: Math.round((100 * cpuMs) / waits.length) / 100,
        waitP50Ms: Math.round(quantileOf(waits, 0.5)),
        waitP99Ms: Math.round(quantileOf(waits, 0.99)),
        waitToSaveP50Ms: Math.round(quantileOf(waitsToSave, 0.5)),
        waitToSaveP99Ms: Math.round(quantileOf(waitsToSave, 0.99)),
      },
    };
  } finally {
    devices.leave();
    await server.stop("SIGKILL");
  }
}

async function cpuMsOf(server: ServerProcess): Promise<number> {
  return 1_000 * (await metricOf(server, "process_cpu_seconds_total"));
}

/** Of which users the outline lacks what their device was told is saved. */
async function lostOf(server: ServerProcess, keys: readonly string[]): Promise<readonly number[]> {
  const lost: number[] = [];
  for (const [index, key] of keys.entries()) {
    if (index % 2 === 0) continue;
    const { body } = await call(server, key, "GET", "nodes-export");
    if (!JSON.stringify(body).includes(`"edit ${index}"`)) lost.push(index);
  }
  return lost;
}
