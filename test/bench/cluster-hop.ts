import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { ROOT } from "../../src/core/node-key.ts";
import { Cluster, type ClusterProcess } from "../e2e/cluster.ts";
import { connectStockClient } from "../e2e/stock-client.ts";
import { until } from "../support/socket-until.ts";
import { BenchProgram } from "./bench-program.ts";
import { cpuUsOf } from "./process-time.ts";

/** What it costs to come to a process that passes on, and to the owner itself. */
export interface HopFigures {
  readonly get: readonly Hop[];
  readonly post: readonly Hop[];
  /** Processor microseconds of the passing process for an edit that two clients of its are told of. */
  readonly messageUs: readonly number[];
}

interface Hop {
  /** Processor microseconds for a request: of the owner when it is asked, of both when another is. */
  readonly directUs: number;
  readonly passingUs: number;
  readonly behindUs: number;
  /** Of a relay of bytes between the same two. */
  readonly relayUs: number;
  readonly directP50Ms: number;
  readonly passedP50Ms: number;
}

const ROUNDS = 5;
const AT_ONCE = 16;
const REQUESTS = 4000;
const EDITS = 1000;

const RELAY = ["--import", "tsx", fileURLToPath(new URL("hop-floor-relay.ts", import.meta.url))];

export async function benchHop(): Promise<HopFigures> {
  const cluster = await Cluster.start();
  let relay: BenchProgram | undefined;
  try {
    const owner = await cluster.newProcess("owner");
    await until(() => cluster.add(owner, "a line"), "an owner");
    const edge = await cluster.newProcess("edge");
    relay = await BenchProgram.start(RELAY, { RELAY_TO: new URL(owner.url).port });
    const measuredRelay = { url: relay.url, measured: [relay] };
    const compare = async (method: "GET" | "POST"): Promise<readonly Hop[]> => {
      const hops: Hop[] = [];
      for (let round = -1; round < ROUNDS; round += 1) {
        const direct = await load(cluster, { url: owner.url, method, measured: [owner] });
        const passed = await load(cluster, { url: edge.url, method, measured: [edge, owner] });
        const relayed = await load(cluster, { ...measuredRelay, method });
        if (round < 0) continue;
        hops.push({
          directUs: direct.cpuUs[0] ?? Number.NaN,
          passingUs: passed.cpuUs[0] ?? Number.NaN,
          behindUs: passed.cpuUs[1] ?? Number.NaN,
          relayUs: relayed.cpuUs[0] ?? Number.NaN,
          directP50Ms: direct.p50Ms,
          passedP50Ms: passed.p50Ms,
        });
      }
      return hops;
    };
    const get = await compare("GET");
    const post = await compare("POST");
    const messageUs: number[] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      const us = await messages(cluster, edge);
      if (round >= 0) messageUs.push(us);
    }
    return { get, post, messageUs };
  } finally {
    await relay?.stop();
    await cluster.stop();
  }
}

interface Load {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly measured: readonly { readonly pid: number }[];
}

async function load(
  { key }: Cluster,
  { url, method, measured }: Load,
): Promise<{ readonly cpuUs: readonly number[]; readonly p50Ms: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const body = JSON.stringify({ name: "A line", parent_id: "inbox", position: "bottom" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const path = `${url}/api/v1/${method === "GET" ? "nodes/inbox" : "nodes"}`;
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const asked = request(path, { method, agent, headers }, (answer) => {
        answer.resume().once("end", resolve);
        if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      });
      asked.once("error", reject);
      asked.end(method === "POST" ? body : undefined);
    });
  const times: number[] = [];
  let left = REQUESTS;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const askedAt = performance.now();
      await ask();
      times.push(performance.now() - askedAt);
    }
  };
  const before = await Promise.all(measured.map(({ pid }) => cpuUsOf(pid)));
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const after = await Promise.all(measured.map(({ pid }) => cpuUsOf(pid)));
  agent.destroy();
  times.sort((one, other) => one - other);
  return {
    cpuUs: after.map((us, index) => (us - (before[index] ?? 0)) / REQUESTS),
    p50Ms: times[Math.floor(times.length / 2)] ?? Number.NaN,
  };
}

/** Edits of a stock client by way of a process that passes its websocket on. */
async function messages(cluster: Cluster, edge: ClusterProcess): Promise<number> {
  const writer = connectStockClient(edge.url, cluster.key);
  const reader = connectStockClient(edge.url, cluster.key);
  try {
    await until(() => writer.provider.synced && reader.provider.synced, "both", 60_000);
    const made = writer.outline.create({ parent: ROOT, name: "" });
    if (made.kind !== "created") throw new Error(made.kind);
    const { key } = made;
    const before = await cpuUsOf(edge.pid);
    for (let edit = 1; edit <= EDITS; edit += 1) {
      writer.outline.update(key, { name: `edit ${edit}` });
      await until(() => reader.outline.node(key)?.name === `edit ${edit}`, "an edit");
    }
    return ((await cpuUsOf(edge.pid)) - before) / EDITS;
  } finally {
    writer.leave();
    reader.leave();
  }
}
