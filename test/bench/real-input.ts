import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { runProgram, type ServerProcess, startServerProcess } from "../e2e/server-process.ts";
import { depthsOf, lastOutlineOf, markdownOfTrace } from "./trace-outline.ts";
import { wordnetOpml } from "./wordnet-outline.ts";

/*
 * Two real outlines through the real command into a real server: a public list with twelve years of
 * edits (3,526 nodes in markdown), and the hierarchy of English nouns (82,192 nodes with notes in
 * OPML). Both are listed, moved, completed and exported, and the export is imported again into
 * another user's outline, which must then export the same.
 */

const TRACE = new URL("../fixtures/traces/awesome-go.jsonl.gz", import.meta.url);

const NodeSchema = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  completedAt: z.number().nullable(),
});
const ListSchema = z.object({ nodes: z.array(NodeSchema) });

/** Of the server, except the time that whoever asked had to wait. */
interface Measured {
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
  readonly rows: Measured[] = [];

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
    this.rows.push({
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

async function tryOutline(
  bench: Bench,
  folder: string,
  source: { readonly name: string; readonly file: string; readonly nodes: number },
): Promise<void> {
  const { name, file, nodes } = source;
  const key = (await bench.command("user", "add", name)).trim();
  await bench.measure(`${name}: import of ${nodes} nodes`, () =>
    bench.command("import", file, "--user", name),
  );
  const { nodes: top } = ListSchema.parse(
    await bench.measure(`${name}: list of the top level`, () => bench.request(key, "GET", "nodes")),
  );
  const [first, last] = [top[0], top.at(-1)];
  if (first === undefined || last === undefined) throw new Error("nothing was imported");
  await bench.measure(`${name}: move of a subtree`, () =>
    bench.request(key, "POST", `nodes/${last.id}/move`, { parent_id: "today" }),
  );
  await bench.measure(`${name}: completion`, () =>
    bench.request(key, "POST", `nodes/${first.id}/complete`),
  );
  const exported = await bench.measure(`${name}: export over the API`, async () =>
    JSON.stringify(await bench.request(key, "GET", "nodes-export")),
  );
  const output = join(folder, `${name}.json`);
  await bench.measure(`${name}: export by the command`, () =>
    bench.command("export", "--user", name, "--output", output),
  );
  const file1 = await readFile(output, "utf8");
  if (file1 !== exported) throw new Error("the command exports something else than the API");
  // Inbox and calendar are made by the move: today, its month, its year and the calendar.
  const count = ListSchema.parse(JSON.parse(file1)).nodes.length;
  if (count !== nodes + 4) throw new Error(`${count} nodes instead of ${nodes + 4}`);

  await bench.command("user", "add", `${name}-copy`);
  await bench.measure(`${name}: import of the export`, () =>
    bench.command("import", output, "--user", `${name}-copy`),
  );
  const again = await bench.command("export", "--user", `${name}-copy`);
  if (withoutOwner(again) !== withoutOwner(file1)) throw new Error("the copy differs");
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "outline-real-"));
  const data = join(folder, "data");
  const server = await startServerProcess({
    data,
    environment: { OUTLINE_EXPORT_LIMIT_MS: "0", OUTLINE_LOG_LEVEL: "warn" },
  });
  try {
    const bench = new Bench(data, server);
    const list = lastOutlineOf(TRACE);
    const listFile = join(folder, "awesome-go.md");
    await writeFile(listFile, markdownOfTrace(list));
    const nodes = depthsOf(list).length;
    await tryOutline(bench, folder, { name: "list", file: listFile, nodes });

    const opml = wordnetOpml();
    const nounFile = join(folder, "nouns.opml");
    await writeFile(nounFile, opml);
    const nouns = opml.split("<outline ").length - 1;
    await tryOutline(bench, folder, { name: "nouns", file: nounFile, nodes: nouns });

    await bench.measure("check of everything", () => bench.command("check"));
    await bench.measure("backup", () => bench.command("backup", join(folder, "backup")));
    console.table(bench.rows);
  } finally {
    await server.stop("SIGTERM");
    await rm(folder, { recursive: true });
  }
}

await main();
