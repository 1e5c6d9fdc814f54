import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { runProgram, type ServerProcess, startServerProcess } from "../e2e/server-process.ts";
import { DICTIONARY_NODES, dictionaryOpml } from "./dictionary-outline.ts";
import { depthsOf, lastOutlineOf, markdownOfTrace } from "./trace-outline.ts";

/** The public list as it is after twelve years, and a dictionary in the shape of a real one. */
export const REAL_OUTLINES = { list: 3526, dictionary: DICTIONARY_NODES } as const;

const TRACE = new URL("../fixtures/traces/awesome-go.jsonl.gz", import.meta.url);

const NodeSchema = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  completedAt: z.number().nullable(),
});
const ListSchema = z.object({ nodes: z.array(NodeSchema) });

/** Of the server, except the time that whoever asked had to wait. */
export interface RealStep {
  readonly step: string;
  readonly waitedMs: number;
  readonly cpuMs: number;
  readonly longestStallMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
}

class Bench {
  readonly #data: string;
  readonly #server: ServerProcess;
  readonly steps: RealStep[] = [];

  constructor(data: string, server: ServerProcess) {
    this.#data = data;
    this.#server = server;
  }

  /** Runs a step and notes how long it took and what the server spent and holds. */
  async measure<T>(step: string, run: () => Promise<T>): Promise<T> {
    // Reading the stalls also forgets them.
    const before = await this.#metrics();
    const from = performance.now();
    const result = await run();
    const waitedMs = Math.round(performance.now() - from);
    const after = await this.#metrics();
    const cpu = (metrics: string) => metricOf(metrics, "process_cpu_seconds_total");
    this.steps.push({
      step,
      waitedMs,
      cpuMs: Math.round((cpu(after) - cpu(before)) * 1000),
      longestStallMs: Math.round(metricOf(after, "nodejs_eventloop_lag_max_seconds") * 1000),
      rssMb: Math.round(metricOf(after, "process_resident_memory_bytes") / 1e6),
      heapMb: Math.round(metricOf(after, "nodejs_heap_size_used_bytes") / 1e6),
    });
    return result;
  }

  async #metrics(): Promise<string> {
    return (await fetch(`${this.#server.url}/metrics`)).text();
  }

  async command(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await runProgram(args, { data: this.#data });
    if (code !== 0) throw new Error(`outline ${args.join(" ")}: ${code}: ${err}`);
    return out;
  }

  async request(key: string, method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#server.url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.json();
  }
}

function metricOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1] ?? Number.NaN);
}

/** Ids say whose outline a node is in: everything before the short id. */
function withoutOwner(exported: string): string {
  return exported.replaceAll(/"(id|parent_id)":"[0-9a-f-]{24}/g, '"$1":"');
}

/**
 * A real outline through the real command into a real server: imported, listed, moved, completed and
 * exported, and the export imported again into another user's outline, which must then export the
 * same. @param nodes which one of {@link REAL_OUTLINES}
 */
export async function measureRealInput(nodes: number): Promise<readonly RealStep[]> {
  const folder = await mkdtemp(join(tmpdir(), "outline-real-"));
  const data = join(folder, "data");
  const server = await startServerProcess({
    data,
    environment: { OUTLINE_EXPORT_LIMIT_MS: "0", OUTLINE_LOG_LEVEL: "warn" },
  });
  try {
    const bench = new Bench(data, server);
    await tryOutline(bench, folder, await writeSource(folder, nodes));
    return bench.steps;
  } finally {
    await server.stop("SIGTERM");
    await rm(folder, { recursive: true });
  }
}

/** Writes the outline as its authors have it: markdown, or OPML with notes. */
async function writeSource(folder: string, nodes: number): Promise<string> {
  const isList = nodes === REAL_OUTLINES.list;
  const trace = isList ? lastOutlineOf(TRACE) : [];
  const content = isList ? markdownOfTrace(trace) : dictionaryOpml();
  const count = isList ? depthsOf(trace).length : content.split("<outline ").length - 1;
  if (count !== nodes) throw new Error(`it has ${count} nodes, not ${nodes}`);
  const file = join(folder, isList ? "list.md" : "dictionary.opml");
  await writeFile(file, content);
  return file;
}

async function tryOutline(bench: Bench, folder: string, source: string): Promise<void> {
  const key = (await bench.command("user", "add", "one")).trim();
  await bench.measure("import", () => bench.command("import", source, "--user", "one"));
  const { nodes: top } = ListSchema.parse(
    await bench.measure("list", () => bench.request(key, "GET", "nodes")),
  );
  const [first, last] = [top[0], top.at(-1)];
  if (first === undefined || last === undefined) throw new Error("nothing was imported");
  await bench.measure("move", () =>
    bench.request(key, "POST", `nodes/${last.id}/move`, { parent_id: "today" }),
  );
  await bench.measure("complete", () => bench.request(key, "POST", `nodes/${first.id}/complete`));
  const exported = await bench.measure("export", async () =>
    JSON.stringify(await bench.request(key, "GET", "nodes-export")),
  );
  const output = join(folder, "exported.json");
  await bench.measure("export by command", () =>
    bench.command("export", "--user", "one", "--output", output),
  );
  const written = await readFile(output, "utf8");
  if (written !== exported) throw new Error("the command exports something else than the API");
  await bench.command("user", "add", "two");
  await bench.measure("import again", () => bench.command("import", output, "--user", "two"));
  const again = await bench.command("export", "--user", "two");
  if (withoutOwner(again) !== withoutOwner(written)) throw new Error("the copy differs");
  await bench.measure("check", () => bench.command("check"));
  await bench.measure("backup", () => bench.command("backup", join(folder, "backup")));
}
