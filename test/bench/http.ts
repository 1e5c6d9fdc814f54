import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import autocannon from "autocannon";
import type { Listening, Role } from "./http-server.ts";

export interface HttpFigure {
  readonly name: string;
  /** Processor microseconds of the server for one request. */
  readonly serviceUs: number;
  readonly floorUs: number;
  /** Above 1 the service is faster than the floor. */
  readonly ratio: number;
}

const ROUNDS = 5;
const ROUND_SECONDS = 2;
const CONNECTIONS = 16;
const SERVER = fileURLToPath(new URL("http-server.ts", import.meta.url));

/** A server process, and what it costs. */
class Server {
  readonly #process: ChildProcess;
  readonly listening: Listening;

  private constructor(process: ChildProcess, listening: Listening) {
    this.#process = process;
    this.listening = listening;
  }

  static async start(role: Role): Promise<Server> {
    const process = fork(SERVER, { execArgv: ["--import", "tsx"] });
    process.send(role);
    const [listening] = (await once(process, "message")) as [Listening];
    return new Server(process, listening);
  }

  async cpuMs(): Promise<number> {
    this.#process.send("cpu");
    const [ms] = (await once(this.#process, "message")) as [number];
    return ms;
  }

  async body(path: string): Promise<unknown> {
    const { url, key } = this.listening;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    return response.json();
  }

  /** Processor microseconds for a request, in one round. */
  async round(path: string): Promise<number> {
    const { url, key } = this.listening;
    const before = await this.cpuMs();
    const { requests, non2xx, errors } = await autocannon({
      url: url + path,
      connections: CONNECTIONS,
      duration: ROUND_SECONDS,
      headers: { authorization: `Bearer ${key}` },
    });
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} refused, ${errors} failed`);
    return (((await this.cpuMs()) - before) / requests.total) * 1000;
  }

  /** Processor microseconds for one large answer, read whole. */
  async whole(path: string): Promise<number> {
    const before = await this.cpuMs();
    await this.body(path);
    return ((await this.cpuMs()) - before) * 1000;
  }

  stop(): void {
    this.#process.disconnect();
  }
}

/**
 * What requests cost the service and what they cost routes of the bare framework that answer the
 * same, both in processor time: other work on the machine does not change it much. Rounds of both
 * alternate, and the median of each counts.
 */
export async function benchHttp(): Promise<readonly HttpFigure[]> {
  const service = await Server.start({ kind: "service" });
  const names = ["retrieve", "list", "export"] as const;
  const bodies: Record<string, unknown> = {};
  for (const name of names) bodies[name] = await service.body(service.listening.paths[name]);
  const floor = await Server.start({ kind: "floor", bodies });
  try {
    const figures: HttpFigure[] = [];
    for (const name of names) {
      const measure = (server: Server): Promise<number> => {
        const path = server.listening.paths[name];
        return name === "export" ? server.whole(path) : server.round(path);
      };
      await measure(service);
      await measure(floor);
      const ofService: number[] = [];
      const ofFloor: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ofService.push(await measure(service));
        ofFloor.push(await measure(floor));
      }
      const [serviceUs, floorUs] = [median(ofService), median(ofFloor)];
      figures.push({ name, serviceUs, floorUs, ratio: floorUs / serviceUs });
    }
    return figures;
  } finally {
    service.stop();
    floor.stop();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  console.table(await benchHttp());
}
