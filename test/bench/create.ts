import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import autocannon from "autocannon";
import type { CreateRole, CreateServer } from "./create-server.ts";
import { median } from "./median.ts";
import { ServerProcess } from "./server-process.ts";

export interface CreateFigures {
  /** Durable creates a second. */
  readonly service: number;
  readonly floor: number;
  readonly ratio: number;
}

const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_SECONDS = 2;

function start(kind: CreateRole["kind"]): Promise<ServerProcess<CreateServer>> {
  return ServerProcess.start<CreateServer, CreateRole>("create-server.ts", { kind });
}

async function round({ url, key }: CreateServer): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({
    url,
    method: "POST",
    connections: CONNECTIONS,
    duration: ROUND_SECONDS,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "A node with a **name** of usual length", position: "bottom" }),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
  return requests.total / ROUND_SECONDS;
}

/** Durable creates a second by 64 connections, against the same by bare fastify and a group commit. */
export async function benchCreate(): Promise<CreateFigures> {
  const service = await start("service");
  const floor = await start("floor");
  try {
    const ofService: number[] = [];
    const ofFloor: number[] = [];
    for (let index = 0; index <= ROUNDS; index++) {
      const rates = [await round(service.listening), await round(floor.listening)] as const;
      // The first round warms both up.
      if (index === 0) continue;
      ofService.push(rates[0]);
      ofFloor.push(rates[1]);
    }
    const [rate, floorRate] = [median(ofService), median(ofFloor)];
    return { service: rate, floor: floorRate, ratio: rate / floorRate };
  } finally {
    await service.stop();
    await floor.stop();
  }
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  console.table(await benchCreate());
}
