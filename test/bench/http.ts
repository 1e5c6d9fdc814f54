import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, execPath } from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import autocannon from "autocannon";

export interface HttpFigure {
  readonly name: string;
  /** Processor microseconds of the server for one request. */
  readonly serviceUs: number;
  readonly floorUs: number;
  /** Above 1 the service costs less than the floor. */
  readonly ratio: number;
}

interface Question {
  readonly name: string;
  readonly servicePath: string;
  readonly floorPath: string;
  /** Asked once in a round, for its one large answer. */
  readonly isLarge?: boolean;
}

const ROUNDS = 11;
const ROUND_SECONDS = 1;
const CONNECTIONS = 32;
const LISTED = 20;
const EXPORTED = 100_000;

const KEY = "ok_0123456789abcdefghijklmnopqrstuv";
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const FLOOR = fileURLToPath(new URL("http-floor.ts", import.meta.url));

/** What the kernel counts processor time in, of a second. */
const TICKS_PER_SECOND = 100;

/** A server in a process of its own, and what it costs. */
class Server {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly url: string;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** @param input what the process reads first */
  static async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    input: string,
  ): Promise<Server> {
    const env = { ...process.env, ...environment };
    const child = spawn(execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(input);
    let output = "";
    for (;;) {
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      output += chunk.toString();
      const url = /http:\/\/\S+:\d+/.exec(output)?.[0];
      if (url !== undefined) return new Server(child, url);
    }
  }

  async ask(path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      headers: { authorization: `Bearer ${KEY}` },
      ...(body === undefined ? undefined : { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Processor microseconds for one request, in one round. */
  async costOf(path: string, isLarge: boolean): Promise<number> {
    const before = await this.#cpuUs();
    const requests = isLarge ? await this.#readWhole(path) : await this.#load(path);
    return ((await this.#cpuUs()) - before) / requests;
  }

  async #readWhole(path: string): Promise<number> {
    await this.ask(path);
    return 1;
  }

  async #load(path: string): Promise<number> {
    const { requests, non2xx, errors } = await autocannon({
      url: this.url + path,
      connections: CONNECTIONS,
      duration: ROUND_SECONDS,
      headers: { authorization: `Bearer ${KEY}` },
    });
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} refused, ${errors} failed`);
    return requests.total;
  }

  /** Processor time of all threads so far, the kernel's for them included. */
  async #cpuUs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#process.pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await once(this.#process, "exit");
  }
}

/**
 * What requests cost the built service and what they cost routes of the bare framework that answer
 * the same, in processor time: other work on the machine does not change that much. Rounds of both
 * alternate, and the median of each counts. Reads `/proc`, so it needs Linux.
 */
export async function benchHttp(): Promise<readonly HttpFigure[]> {
  const data = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const service = await Server.start(
    [MAIN, "serve"],
    {
      OUTLINE_PORT: "0",
      OUTLINE_DATA: data,
      OUTLINE_API_KEY: KEY,
      OUTLINE_EXPORT_LIMIT_MS: "0",
      OUTLINE_LOG_LEVEL: "warn",
    },
    "",
  );
  const questions = await plant(service);
  const bodies: Record<string, unknown> = {};
  for (const { servicePath, floorPath } of questions) {
    bodies[floorPath] = await service.ask(servicePath);
  }
  const floor = await Server.start(["--import", "tsx", FLOOR], {}, JSON.stringify(bodies));
  try {
    const figures: HttpFigure[] = [];
    for (const question of questions) figures.push(await compare(question, service, floor));
    return figures;
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
    await rm(data, { recursive: true });
  }
}

async function plant(service: Server): Promise<readonly Question[]> {
  const lines = (count: number, line: string) => Array.from({ length: count }, () => line);
  const usual = "a line with a name of usual length";
  const listed = { name: ["parent", ...lines(LISTED, `${usual}, **bold**`)].join("\n\n") };
  const { item_id: id } = (await service.ask("/api/v1/nodes", listed)) as { item_id: string };
  for (let planted = 0; planted < EXPORTED; planted += 20_000) {
    await service.ask("/api/v1/nodes", { name: lines(20_000, usual).join("\n\n") });
  }
  return [
    { name: "retrieve", servicePath: `/api/v1/nodes/${id}`, floorPath: "/retrieve" },
    { name: "list of 20", servicePath: `/api/v1/nodes?parent_id=${id}`, floorPath: "/list" },
    {
      name: "export of 100,000",
      servicePath: "/api/v1/nodes-export",
      floorPath: "/export",
      isLarge: true,
    },
  ];
}

async function compare(question: Question, service: Server, floor: Server): Promise<HttpFigure> {
  const { name, servicePath, floorPath, isLarge = false } = question;
  const ofService: number[] = [];
  const ofFloor: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const serviceUs = await service.costOf(servicePath, isLarge);
    const floorUs = await floor.costOf(floorPath, isLarge);
    // The first round is for the compiler.
    if (round < 0) continue;
    ofService.push(serviceUs);
    ofFloor.push(floorUs);
  }
  const [serviceUs, floorUs] = [median(ofService), median(ofFloor)];
  return { name, serviceUs, floorUs, ratio: floorUs / serviceUs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  console.table(await benchHttp());
}
