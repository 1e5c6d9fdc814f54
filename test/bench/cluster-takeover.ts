import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newOutlineId, type OutlineId } from "../../src/core/node-key.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { Cluster, type ClusterProcess } from "../e2e/cluster.ts";
import { Writers } from "../e2e/cluster-writers.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { cpuMs } from "./cpu-time.ts";
import { cpuUsOf } from "./process-time.ts";

export interface TakeoverFigures {
  /** By how many outlines are asked for at once whose owner has ended. */
  readonly takeovers: readonly {
    readonly outlines: number;
    /** Until the process knows of each that it owns it. */
    readonly ms: readonly number[];
    /** Of that process, without the database. */
    readonly cpuMs: readonly number[];
  }[];
  /** Of a process that owns 100,000 outlines which nobody uses, for a second, and of one that owns none. */
  readonly idleUs: { readonly owning: number; readonly empty: number };
  /** Longest time without an acknowledgement of programs that go to any of two processes. */
  readonly gapMs: {
    readonly killed: readonly number[];
    readonly stopped: readonly number[];
    readonly cut: readonly number[];
  };
}

const ROUNDS = 3;
const IDLE_OUTLINES = 100_000;
const IDLE_MS = 10_000;
const AT_ONCE = 64;

export async function benchTakeover(): Promise<TakeoverFigures> {
  const server = await PostgresServer.start();
  try {
    const takeovers = [];
    for (const outlines of [1, 100, 10_000]) {
      const figures = { outlines, ms: [] as number[], cpuMs: [] as number[] };
      for (let round = 0; round < ROUNDS; round += 1) {
        const { ms, cpu } = await takeOver(server, outlines);
        figures.ms.push(ms);
        figures.cpuMs.push(cpu);
      }
      takeovers.push(figures);
    }
    const idleUs = await idle();
    const gapMs = {
      killed: await ended("SIGKILL"),
      stopped: await ended("SIGTERM"),
      cut: await cut(),
    };
    return { takeovers, idleUs, gapMs };
  } finally {
    await server.stop();
  }
}

async function takeOver(
  server: PostgresServer,
  count: number,
): Promise<{ readonly ms: number; readonly cpu: number }> {
  const common = { now: Date.now, randomBytes, limits: PATIENT };
  const url = server.urlOf("postgres");
  const one = await PostgresStore.open(url, { ...common, address: "127.0.0.1:1" });
  const two = await PostgresStore.open(url, { ...common, address: "127.0.0.1:2" });
  const outlines = Array.from({ length: count }, () => newOutlineId(Math.random));
  await placeAll(one, outlines);
  await one.close();
  const startedAt = performance.now();
  const cpuAt = cpuMs();
  await placeAll(two, outlines);
  const figures = { ms: performance.now() - startedAt, cpu: cpuMs() - cpuAt };
  await two.close();
  return figures;
}

async function placeAll({ places }: PostgresStore, outlines: readonly OutlineId[]): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let outline = outlines[next++]; outline !== undefined; outline = outlines[next++]) {
      const { kind } = await places.of(outline);
      if (kind !== "here") throw new Error(kind);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function idle(): Promise<TakeoverFigures["idleUs"]> {
  const cluster = await Cluster.start();
  try {
    const process = await cluster.newProcess("owner");
    const empty = await cpuOfASecond(process);
    await cluster.database.run(
      "postgres",
      `insert into outline_store.outline (id, term, owner)
        select decode(lpad(to_hex(n), 20, '0'), 'hex'), 1, (select max(id) from outline_store.process)
        from generate_series(1, ${IDLE_OUTLINES}) as n`,
    );
    return { owning: await cpuOfASecond(process), empty };
  } finally {
    await cluster.stop();
  }
}

async function cpuOfASecond({ pid }: ClusterProcess): Promise<number> {
  const before = await cpuUsOf(pid);
  await delay(IDLE_MS);
  return ((await cpuUsOf(pid)) - before) / (IDLE_MS / 1000);
}

async function ended(signal: "SIGKILL" | "SIGTERM"): Promise<readonly number[]> {
  const gaps: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const cluster = await Cluster.start();
    try {
      const processes = [await cluster.newProcess("one"), await cluster.newProcess("two")];
      gaps.push(
        await gapOf(cluster, processes, async (owner) => {
          const ending = owner.stop(signal);
          // One that is stopped answers until it has given all away: it is asked as long.
          if (signal === "SIGTERM") await ending;
          processes.splice(processes.indexOf(owner), 1);
          await ending;
        }),
      );
    } finally {
      await cluster.stop();
    }
  }
  return gaps;
}

/** The line between the owner and the database. */
async function cut(): Promise<readonly number[]> {
  const gaps: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const cluster = await Cluster.start();
    const proxies = [await TcpProxy.start(cluster.database.port)];
    proxies.push(await TcpProxy.start(cluster.database.port));
    try {
      const processes: ClusterProcess[] = [];
      for (const [index, { url }] of proxies.entries()) {
        const port = Number(new URL(url).port);
        processes.push(await cluster.newProcess(`process ${index}`, { port }));
      }
      gaps.push(
        await gapOf(cluster, processes, async (owner) => {
          const index = processes.indexOf(owner);
          processes.splice(index, 1);
          proxies[index]?.hang();
        }),
      );
    } finally {
      await cluster.stop();
      for (const proxy of proxies) await proxy.stop();
    }
  }
  return gaps;
}

async function gapOf(
  cluster: Cluster,
  processes: readonly ClusterProcess[],
  fault: (owner: ClusterProcess) => Promise<void>,
): Promise<number> {
  const writers = new Writers(cluster, processes);
  await writers.more(200);
  const owner = await cluster.ownerAmong(processes);
  writers.forgetGap();
  await fault(owner);
  await writers.more(200);
  await writers.stop();
  return writers.longestGapMs;
}
