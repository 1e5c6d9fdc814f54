import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../e2e/program-folder.ts";
import {
  type ProgramOptions,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from "../e2e/server-process.ts";
import {
  type ConnectorReport,
  type ConnectorTasks,
  startConnector,
} from "./connections/connector-process.ts";
import { Pair } from "./connections/pair.ts";
import { metricOf } from "./slow-reader/server-memory.ts";
import type { SoakResult, SoakRow } from "./soak-row.ts";
import type { TaskWorker } from "./task-worker.ts";

const SHORT = 200;
const WITHIN_MS = 2_000;
/** One address may have only so many. */
const KEYS = 12;
const ADDRESSES = ["127.0.0.2", "127.0.0.3"];
const P99_MS = 50;

/** Everybody connects at once, and once more after a crash, beside two who just work. */
export const connectionsRow: SoakRow = {
  name: "connections",
  fault: "1,000 connections in 2 s, a kill, and all of them again after the start",
  goal: "0 failures; an unrelated pair's p99 is at most 50 ms",
  unit: "connections",
  full: 1_000,
  short: SHORT,
  budgetMs: 10 * 60_000,
  controls: { "takes-fewer": "a server that takes ten connections for each user" },
  async run({ amount, control }) {
    const folder = await mkdtemp(join(tmpdir(), "outline-connections-"));
    try {
      return await rush(
        {
          data: join(folder, "data"),
          environment: {
            OUTLINE_LOG_LEVEL: "warn",
            // All of them are one user's.
            OUTLINE_MAX_CONNECTIONS_PER_USER: control === "takes-fewer" ? "10" : "10000",
          },
        },
        amount,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function rush(options: ProgramOptions, count: number): Promise<SoakResult> {
  let server = await startServerProcess(options);
  let connector: TaskWorker<ConnectorTasks> | undefined;
  try {
    const keys = await keysOf(server);
    const otherKey = await otherUser(options);
    const url = `${server.url.replace("http", "ws")}/sync/me`;
    connector = await startConnector({
      url,
      keys,
      addresses: ADDRESSES,
      count,
      withinMs: (WITHIN_MS * count) / 1_000,
    });
    const first = await besides(server, { url, key: otherKey }, connector.ask("open", undefined));

    const again = connector.ask("openAgain", undefined);
    await server.stop("SIGKILL");
    const { port } = new URL(server.url);
    const environment = { ...options.environment, OUTLINE_PORT: port };
    server = await startServerProcess({ ...options, environment });
    const second = await besides(server, { url, key: otherKey }, again);

    const failures = [...failuresOf("at first", first), ...failuresOf("after the start", second)];
    // A time: not where many tests share few cores.
    if (count > SHORT && Math.max(first.p99Ms, second.p99Ms) > P99_MS) {
      failures.push(`the pair's p99: ${first.p99Ms} ms at first, ${second.p99Ms} ms afterwards`);
    }
    return {
      done: count,
      failures,
      figures: {
        failed: first.report.failures.length + second.report.failures.length,
        p99ConnectingMs: first.p99Ms,
        p99ReconnectingMs: second.p99Ms,
        connectedAfterMs: Math.round(first.report.tookMs),
        reconnectedAfterMs: Math.round(second.report.tookMs),
        cpuMsAConnection: first.cpuMs / count,
        cpuMsAReconnection: second.cpuMs / count,
      },
    };
  } finally {
    await connector?.kill();
    await server.stop("SIGTERM");
  }
}

interface Rush {
  readonly report: ConnectorReport;
  readonly expected: number;
  readonly sessions: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

/** What two people at another outline feel of it. */
async function besides(
  server: ServerProcess,
  { url, key }: { readonly url: string; readonly key: string },
  rushing: Promise<ConnectorReport>,
): Promise<Rush> {
  const pair = await Pair.open(url, key);
  try {
    const cpuMs = async (): Promise<number> =>
      1_000 * (await metricOf(server, "process_cpu_seconds_total"));
    const before = await cpuMs();
    const report = await pair.typeWhile(() => rushing);
    const latencies = pair.latenciesMs.toSorted((one, other) => one - other);
    const p99Ms = latencies[Math.floor(0.99 * latencies.length)] ?? 0;
    return {
      report,
      expected: report.opened + report.failures.length,
      // The pair's are none of them.
      sessions: (await metricOf(server, "outline_sync_sessions")) - 2,
      p99Ms: Math.round(p99Ms * 10) / 10,
      cpuMs: (await cpuMs()) - before,
    };
  } finally {
    pair.close();
  }
}

function failuresOf(when: string, { report, expected, sessions }: Rush): readonly string[] {
  const kinds = new Map<string, number>();
  for (const failure of report.failures) kinds.set(failure, (kinds.get(failure) ?? 0) + 1);
  return [
    ...[...kinds].map(([failure, times]) => `${when}, ${times} times: ${failure}`),
    ...(sessions < expected ? [`${when} the server has ${sessions} of ${expected}`] : []),
  ];
}

async function keysOf(server: ServerProcess): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let index = 0; index < KEYS; index++) {
    const { body } = await call(server, server.key, "POST", "keys", { name: `soak ${index}` });
    keys.push((body as { readonly key: string }).key);
  }
  return keys;
}

async function otherUser(options: ProgramOptions): Promise<string> {
  const { out, err } = await runProgram(["user", "add", "other"], options);
  const [key] = /ok_\S+/.exec(out) ?? [];
  if (key === undefined) throw new Error(`no user: ${out}${err}`);
  return key;
}
