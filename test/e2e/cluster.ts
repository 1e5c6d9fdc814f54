import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChannel } from "../../src/open-channel.ts";
import { invoke, type Invoked } from "../command/invoke.ts";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { until } from "../support/socket-until.ts";
import { type ProgramOptions, type ServerProcess, startServerProcess } from "./server-process.ts";

export interface ClusterProcess extends ServerProcess {
  readonly name: string;
  /** Of its internal listener. */
  readonly address: string;
}

type Environment = Readonly<Record<string, string>>;

interface ProcessOptions extends Partial<Omit<ProgramOptions, "data">> {
  readonly port?: number;
}

/** Several processes of the program on one database, each with a data folder of its own. */
export class Cluster {
  readonly #folder: string;
  readonly #shared: PostgresServer | undefined;
  readonly #started: ServerProcess[] = [];
  /** Another one after a failover. */
  database: PostgresServer;
  /** Shown by the process that has made the first user. */
  key = "";

  /** @param database of its own, which it stops in the end */
  static async start(database?: PostgresServer): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "outline-cluster-"));
    if (database !== undefined) return new Cluster(folder, database, undefined);
    const shared = await PostgresServer.shared();
    return new Cluster(folder, shared, shared);
  }

  private constructor(
    folder: string,
    database: PostgresServer,
    shared: PostgresServer | undefined,
  ) {
    this.#folder = folder;
    this.database = database;
    this.#shared = shared;
  }

  /** @param options with the port of the database, where that is reached by way of something else */
  async newProcess(
    name: string,
    { port, environment, ...rest }: ProcessOptions = {},
  ): Promise<ClusterProcess> {
    const options = this.optionsOf(name, port);
    const started = await startServerProcess({
      ...options,
      ...rest,
      environment: { ...options.environment, ...environment },
    });
    const [row] = await this.database.run(
      "postgres",
      "select address from outline_store.process order by id desc limit 1",
    );
    const process = { ...started, name, address: String(row?.["address"]) };
    this.#started.push(process);
    this.key ||= started.key;
    return process;
  }

  /** Where the process listens that the first user's outline belongs to. */
  async ownerAddress(): Promise<string | undefined> {
    const [row] = await this.database.run(
      "postgres",
      `select p.address from outline_store.outline o join outline_store.process p on p.id = o.owner
        where o.made`,
    );
    return row && String(row["address"]);
  }

  async ownerAmong(processes: readonly ClusterProcess[]): Promise<ClusterProcess> {
    for (;;) {
      const address = await this.ownerAddress();
      const owner = processes.find((each) => each.address === address);
      if (owner !== undefined) return owner;
    }
  }

  optionsOf(name: string, port?: number) {
    return {
      data: join(this.#folder, name),
      environment: {
        OUTLINE_STORE: this.database.urlOf("postgres", port),
        OUTLINE_CLUSTER_LISTEN: "127.0.0.1:0",
        OUTLINE_REQUESTS_PER_MINUTE: "0",
      },
    };
  }

  /** Runs a command beside the process of this name, in this process: one of its own is several times dearer. */
  command(name: string, args: readonly string[], more: Environment = {}): Promise<Invoked> {
    const { data, environment } = this.optionsOf(name);
    return invoke(args, openChannel, { OUTLINE_DATA: data, ...environment, ...more });
  }

  /** Imports a line. */
  async import(name: string, line: string): Promise<Invoked> {
    const file = join(this.#folder, "line.txt");
    await writeFile(file, line);
    return this.command(name, ["import", file]);
  }

  /** Asks a process for something of the API. @returns the answer, whose body is read already */
  async ask(
    { url }: Pick<ServerProcess, "url">,
    path: string,
    { body, key = this.key, method, mostMs }: Asked = {},
  ): Promise<Answered> {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(mostMs !== undefined && { signal: AbortSignal.timeout(mostMs) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text };
  }

  /** Adds a line to the inbox. @param mostMs to wait for it @returns whether that was answered */
  async add(process: Pick<ServerProcess, "url">, name: string, mostMs?: number): Promise<boolean> {
    const body = { name, parent_id: "inbox", position: "bottom" };
    const answer = await this.ask(process, "nodes", { body, mostMs }).catch(() => undefined);
    return answer?.status === 200;
  }

  /** The lines of the inbox; undefined when they can't be had now. */
  async names(process: Pick<ServerProcess, "url">): Promise<readonly string[] | undefined> {
    const answer = await this.ask(process, "nodes?parent_id=inbox").catch(() => undefined);
    if (answer?.status !== 200) return undefined;
    const { nodes } = JSON.parse(answer.text) as { readonly nodes: readonly { name: string }[] };
    return nodes.map(({ name }) => name);
  }

  /** What all that was acknowledged lacks when a process that knows nothing reads it. */
  async lossOf(acknowledged: readonly string[]): Promise<readonly string[]> {
    await this.killAll();
    const fresh = await this.newProcess("fresh");
    let names: readonly string[] | undefined;
    await until(async () => (names = await this.names(fresh)) !== undefined, "an answer", 60_000);
    await this.killAll();
    return missingOf(names, acknowledged);
  }

  async killAll(): Promise<void> {
    for (const each of this.#started) each.send("SIGCONT");
    for (const each of this.#started.splice(0)) await each.stop("SIGKILL");
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    await this.killAll();
    if (this.database !== this.#shared) await this.database.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Those of the names that are not there. */
export function missingOf(
  names: readonly string[] | undefined,
  acknowledged: readonly string[],
): readonly string[] {
  const there = new Set(names);
  return acknowledged.filter((name) => !there.has(name));
}

interface Asked {
  readonly body?: unknown;
  readonly key?: string;
  readonly method?: string;
  /** After which whoever asks has gone. */
  readonly mostMs?: number | undefined;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
