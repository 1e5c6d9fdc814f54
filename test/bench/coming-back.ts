import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ServerProcess, startServerProcess } from "../e2e/server-process.ts";
import { metricOf } from "../soak/slow-reader/server-memory.ts";
import { plantUsers } from "../support/plant-users.ts";
import { quantileOf, ReturningDevices } from "../support/returning-devices.ts";
import { ReturningStockClients } from "../support/returning-stock-clients.ts";
import { until } from "../support/socket-until.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { agedDocument } from "./grown-document.ts";
import { cpuUsOf, residentBytesOf } from "./process-time.ts";

/** What a restart costs when everybody comes back at once. */
export interface ComingBackFigures {
  /** Devices that miss nothing, one of each user. */
  readonly devices: ReturnFigures;
  /** The same with y-websocket, which knows nothing of numbers and says what it has. */
  readonly stock: ReturnFigures;
  /** Programs that ask for the first level of an outline, one of each user. */
  readonly readers: StormFigures;
}

export interface StormFigures {
  /** For each that came. */
  readonly cpuMs: number;
  /** That the process has more than before, for each that came. */
  readonly memoryBytes: number;
  /** Of the process, when all are there. */
  readonly residentBytes: number;
  readonly opened: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
}

export interface ReturnFigures extends StormFigures {
  /** For each that came once more. */
  readonly againCpuMs: number;
}

/** An outline as people have it. */
const NODES = 1_500;
/** Who come for the first time, at once: the outline of a new device is opened. */
const GROUP = 100;

/** Starts the built program for so many users, and again, and lets all come at once. */
export async function measureComingBack(users: number): Promise<ComingBackFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const data = join(folder, "data");
    const keys = await plantUsers(data, users, agedDocument(NODES, seededRandom(1)));
    const groups = Array.from({ length: Math.ceil(users / GROUP) }, (_, index) =>
      keys.slice(index * GROUP, (index + 1) * GROUP),
    );
    const devices = await comeBack(
      data,
      groups.map((each) => new ReturningDevices(each)),
    );
    const stock = await comeBack(
      data,
      groups.map((each) => new ReturningStockClients(each)),
    );
    const readers = await withServer(data, (server) => storm(server, () => read(server, keys)));
    return { devices, stock, readers };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Group by group they come to servers that are killed, then all at once to the next one, and once more
 * to the same one, whose code is compiled then.
 */
async function comeBack(
  data: string,
  groups: readonly (ReturningDevices | ReturningStockClients)[],
): Promise<ReturnFigures> {
  for (const group of groups) {
    await withServer(data, ({ url }) => group.come(url));
    group.leave();
  }
  return withServer(data, async (server) => {
    const come = async (): Promise<readonly number[]> => {
      const waits = await Promise.all(groups.map((group) => group.come(server.url)));
      return waits.flat().toSorted((one, other) => one - other);
    };
    const leave = (): void => groups.forEach((group) => group.leave());
    const figures = await storm(server, come);
    leave();
    await until(
      async () => (await metricOf(server, "outline_sync_sessions")) === 0,
      "the connections' ends",
    );
    const { cpuMs: againCpuMs } = await storm(server, come);
    leave();
    return { ...figures, againCpuMs };
  });
}

async function withServer<T>(
  data: string,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const environment = {
    OUTLINE_LOG_LEVEL: "error",
    // All of them come from one.
    OUTLINE_MAX_CONNECTIONS_PER_ADDRESS: "10000",
  };
  const server = await startServerProcess({ data, environment });
  try {
    return await work(server);
  } finally {
    await server.stop("SIGKILL");
  }
}

async function storm(
  server: ServerProcess,
  come: () => Promise<readonly number[]>,
): Promise<StormFigures> {
  const before = await residentBytesOf(server.pid);
  const cpuBefore = await cpuUsOf(server.pid);
  const waits = await come();
  const cpuUs = (await cpuUsOf(server.pid)) - cpuBefore;
  const residentBytes = await residentBytesOf(server.pid);
  return {
    cpuMs: cpuUs / 1_000 / waits.length,
    memoryBytes: (residentBytes - before) / waits.length,
    residentBytes,
    opened: await metricOf(server, "outline_documents_open"),
    waitP50Ms: quantileOf(waits, 0.5),
    waitP99Ms: quantileOf(waits, 0.99),
  };
}

/** Each asks as often as it is told to come again: the wait is until it is answered. */
async function read({ url }: ServerProcess, keys: readonly string[]): Promise<readonly number[]> {
  const startedAt = performance.now();
  const waits = keys.map(async (key) => {
    const headers = { authorization: `Bearer ${key}` };
    for (;;) {
      const response = await fetch(`${url}/api/v1/nodes`, { headers });
      await response.arrayBuffer();
      if (response.status === 200) return performance.now() - startedAt;
      const seconds = Number(response.headers.get("retry-after"));
      if (response.status !== 503 || seconds === 0) {
        throw new Error(`a reader was answered ${response.status}`);
      }
      await delay(seconds * 1_000);
    }
  });
  return (await Promise.all(waits)).toSorted((one, other) => one - other);
}
