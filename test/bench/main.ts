/** `npm run bench`: what exists so far of the goals of the design, measured on this machine. */
import { measureCore } from "./core.ts";
import { benchCreate } from "./create.ts";
import { benchHttp } from "./http.ts";
import { storeFigures } from "./store.ts";
import { benchSync } from "./sync.ts";

interface Row {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

async function coreRows(): Promise<Row[]> {
  const small = measureCore(10_000);
  const core = measureCore(100_000);
  return [
    { what: "keystroke, bytes", goal: "≤ 25", measured: `${core.keystrokeBytes}` },
    { what: "create, bytes", goal: "≤ 130", measured: `${core.createBytes}` },
    { what: "create, CPU µs in the model", goal: "≤ 20", measured: `${core.createUs}` },
    { what: "move, bytes", goal: "≤ 60", measured: `${core.moveBytes}` },
    { what: "move, CPU µs in the model", goal: "≤ 30", measured: `${core.moveUs}` },
    { what: "stored bytes a node, fresh", goal: "≤ 119", measured: `${core.bytesPerNode}` },
    { what: "heap bytes a node, fresh", goal: "≤ 1,700", measured: `${core.heapPerNode}` },
    { what: "index of 100,000, CPU ms", goal: "", measured: `${core.indexMs}` },
    {
      what: "retrieve in the model, 100,000 over 10,000",
      goal: "≤ 1.5",
      measured: `${rounded(core.retrieveUs / small.retrieveUs)}`,
    },
    {
      what: "list of 100 in the model, 100,000 over 10,000",
      goal: "≤ 1.5",
      measured: `${rounded(core.list100Us / small.list100Us)}`,
    },
  ];
}

async function storeRows(): Promise<Row[]> {
  const { appends, snapshot } = await storeFigures();
  return [
    ...appends.map(({ appenders, store, floor }) => ({
      what: `appends by ${appenders}, ratio to a bare group commit`,
      goal: "",
      measured: `${rounded(store / floor)}`,
    })),
    {
      what: "stall while 12 MB are saved and loaded, ms",
      goal: "≤ 50",
      measured: `${rounded(snapshot.stallMs)}`,
    },
  ];
}

async function httpRows(): Promise<Row[]> {
  const goals = new Map([
    ["retrieve", "≥ 0.8"],
    ["list", "≥ 0.8"],
    ["export", "≥ 0.5"],
  ]);
  const rows = (await benchHttp()).map(({ name, ratio }) => ({
    what: `GET ${name}, ratio to bare fastify`,
    goal: goals.get(name) ?? "",
    measured: `${rounded(ratio)}`,
  }));
  const { ratio } = await benchCreate();
  const what = "POST create by 64, durable, ratio to bare fastify and a group commit";
  return [...rows, { what, goal: "≥ 0.7", measured: `${rounded(ratio)}` }];
}

async function syncRows(): Promise<Row[]> {
  const sync = await benchSync();
  return [
    {
      what: "fan-out to 100, one typist, ratio to a relay that stores nothing",
      goal: "≥ 0.7",
      measured: `${rounded(sync.fanOutOneTypist)}`,
    },
    {
      what: "fan-out to 100, all typing, ratio to a relay that stores nothing",
      goal: "≥ 0.7",
      measured: `${rounded(sync.fanOutHundredTypists)}`,
    },
    {
      what: "cold sync of 100,000, CPU ms",
      goal: "≤ 300",
      measured: `${rounded(sync.coldSyncMs)}`,
    },
    {
      what: "reconnect ten edits behind, bytes",
      goal: "≤ 4,096",
      measured: `${sync.reconnectBytes}`,
    },
    {
      what: "reconnect ten edits behind, CPU ms",
      goal: "≤ 2",
      measured: `${rounded(sync.reconnectMs)}`,
    },
    {
      what: "connections in 2 s, failed",
      goal: "0",
      measured: `${sync.failedConnections}`,
    },
    { what: "a connection, CPU ms", goal: "≤ 0.6", measured: `${rounded(sync.connectionCpuMs)}` },
    { what: "others' p99 meanwhile, ms", goal: "≤ 50", measured: `${rounded(sync.othersP99Ms)}` },
    {
      what: "idle connection, heap bytes",
      goal: "≤ 12,288",
      measured: `${Math.round(sync.idleConnectionBytes)}`,
    },
  ];
}

for (const rows of [coreRows, storeRows, httpRows, syncRows]) console.table(await rows());
