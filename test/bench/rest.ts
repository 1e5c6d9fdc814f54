import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import type autocannon from "autocannon";
import { BenchProgram, type LoadFigures } from "./bench-program.ts";
import { median } from "./median.ts";
import { LISTED, type PlantedOutline, plantOutline, serveOutline } from "./planted-outline.ts";

/** Rounds of the service and of the floor that alternated with them, index by index. */
export interface Compared {
  readonly service: readonly number[];
  readonly floor: readonly number[];
}

export interface RestFigures {
  /** Processor microseconds of the server for one request. */
  readonly retrieveUs: Compared;
  readonly listUs: Compared;
  readonly createUs: Compared;
  /** The same creates beside the least that keeps them in a document of Yjs. */
  readonly createInYjsUs: Compared;
  /** Durable creates a second by 64 connections; the clients share the processor. */
  readonly createsPerSecond: Compared;
  /** Bytes of memory that the service has in use at the end. */
  readonly residentBytes: number;
}

interface Question {
  readonly path: string;
  readonly floorPath: string;
  readonly requests: readonly autocannon.Request[];
  readonly connections: number;
  /** Requests of a round. */
  readonly amount: number;
}

const ROUNDS = 7;
const WARM_UP = 30_000;
const FLOOR = fileURLToPath(new URL("rest-floor-server.ts", import.meta.url));
const YJS_FLOOR = fileURLToPath(new URL("rest-yjs-floor-server.ts", import.meta.url));
const JSON_TYPE = { "content-type": "application/json" };

/** What people write: one in ten with a bold word, one with a note, one that is done. */
function newNodes(parent: string | undefined): readonly autocannon.Request[] {
  const name = "A node with a name of usual length, as people write";
  const extras = [
    { name: "A node with a **name** of usual length" },
    { note: "and a note that says a little more about it" },
    { completed: true },
  ];
  return Array.from({ length: 10 }, (_, index) => ({
    method: "POST",
    body: JSON.stringify({ parent_id: parent, position: "bottom", name, ...extras[index] }),
  }));
}

/**
 * What requests cost the built service with an outline of some size, and what they cost routes of the
 * bare framework, in processor time: other work on the machine does not change that much.
 */
export async function benchRest(nodes: number): Promise<RestFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const planted = await plantOutline(join(folder, "service"), nodes);
    const service = await serveOutline(planted);
    try {
      const figures = await compareAll(service, planted, join(folder, "floor"));
      const createInYjsUs = await compareWithYjs(service, planted, join(folder, "yjs"), nodes);
      return { ...figures, createInYjsUs, residentBytes: await service.residentBytes() };
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compareAll(
  service: BenchProgram,
  planted: PlantedOutline,
  floorFolder: string,
): Promise<Omit<RestFigures, "createInYjsUs" | "residentBytes">> {
  const get = [{ method: "GET" }] as const;
  const retrieve = {
    path: `/api/v1/nodes/${planted.listed}`,
    floorPath: "/retrieve",
    requests: get,
    connections: 32,
    amount: 20_000,
  };
  const list = {
    ...retrieve,
    path: `/api/v1/nodes?parent_id=${planted.listed}`,
    floorPath: "/list",
  };
  const create = createsBelow(planted.empty);
  const bodies = {
    "/retrieve": await ask(service, retrieve.path, planted.key),
    "/list": await ask(service, list.path, planted.key),
  };
  const floor = await BenchProgram.start(
    ["--import", "tsx", FLOOR],
    { FLOOR_FOLDER: floorFolder },
    JSON.stringify(bodies),
  );
  try {
    const warmUp = { ...create, headers: headersOf(planted.otherKey), amount: WARM_UP };
    await service.load(create.path, { ...warmUp, requests: newNodes(undefined) });
    await floor.load(create.floorPath, warmUp);
    const both = { service, floor, key: planted.key };
    const retrieved = await compare(retrieve, both);
    const listed = await compare(list, both);
    const created = await compare(create, both);
    return {
      retrieveUs: compared(retrieved, "cpuUs"),
      listUs: compared(listed, "cpuUs"),
      createUs: compared(created, "cpuUs"),
      createsPerSecond: compared(created, "perSecond"),
    };
  } finally {
    await floor.stop();
  }
}

/** After `compareAll`, which has warmed up the service. */
async function compareWithYjs(
  service: BenchProgram,
  planted: PlantedOutline,
  folder: string,
  nodes: number,
): Promise<Compared> {
  const create = createsBelow(planted.empty);
  const floor = await BenchProgram.start(["--import", "tsx", YJS_FLOOR], {
    FLOOR_FOLDER: folder,
    FLOOR_NODES: String(nodes),
  });
  try {
    await floor.load("/warm-up", { ...create, headers: JSON_TYPE, amount: WARM_UP });
    return compared(await compare(create, { service, floor, key: planted.key }), "cpuUs");
  } finally {
    await floor.stop();
  }
}

/** So few that a small outline stays small. */
function createsBelow(parent: string): Question {
  return {
    path: "/api/v1/nodes",
    floorPath: "/create",
    requests: newNodes(parent),
    connections: 64,
    amount: 2_000,
  };
}

function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...JSON_TYPE };
}

/** An answer of the service, and that it is the one that is meant. */
async function ask({ url }: BenchProgram, path: string, key: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { readonly nodes?: readonly unknown[] };
  if (!response.ok || (body.nodes?.length ?? LISTED) !== LISTED) throw new Error(`${path}: odd`);
  return body;
}

interface Pair<T> {
  readonly service: T;
  readonly floor: T;
}

/** Rounds of both alternate; the first one is for the compiler. */
async function compare(
  { path, floorPath, ...load }: Question,
  { service, floor, key }: Pair<BenchProgram> & { readonly key: string },
): Promise<readonly Pair<LoadFigures>[]> {
  const rounds: Pair<LoadFigures>[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const pair = {
      service: await service.load(path, { ...load, headers: headersOf(key) }),
      floor: await floor.load(floorPath, { ...load, headers: headersOf(key) }),
    };
    if (round >= 0) rounds.push(pair);
  }
  return rounds;
}

function compared(rounds: readonly Pair<LoadFigures>[], figure: keyof LoadFigures): Compared {
  return {
    service: rounds.map(({ service }) => service[figure]),
    floor: rounds.map(({ floor }) => floor[figure]),
  };
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const rounded = (values: readonly number[]): number => Number(median(values).toPrecision(3));
  for (const nodes of argv.slice(2).map(Number)) {
    const { residentBytes, ...all } = await benchRest(nodes);
    const rows = Object.entries(all).map(([name, { service, floor }]) => {
      const [ours, bare] = [rounded(service), rounded(floor)];
      const ratio = name.endsWith("Us") ? bare / ours : ours / bare;
      return { nodes, name, service: ours, floor: bare, ratio: rounded([ratio]) };
    });
    console.table([
      ...rows,
      { nodes, name: "resident MB", service: rounded([residentBytes / 1e6]) },
    ]);
  }
}
