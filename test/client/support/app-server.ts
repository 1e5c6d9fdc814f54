import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AdminClient } from "../../../src/admin/admin-client.ts";
import { socketPathOf } from "../../../src/admin/socket-path.ts";
import {
  type Finished,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from "../../e2e/server-process.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A node as the API lists it. */
export interface ListedNode {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly note: string | null;
  readonly priority: number;
  readonly completed: boolean;
  readonly data: { readonly layoutMode: string };
}

/** Many devices of one person at one address, and tests that are in a hurry. */
const ENVIRONMENT = {
  OUTLINE_REQUESTS_PER_MINUTE: "0",
  OUTLINE_EXPORT_LIMIT_MS: "0",
  OUTLINE_LOG_LEVEL: "warn",
};

/** The one of all files that this process runs one after the other. */
let shared: Promise<AppServer> | undefined;

/**
 * The program as it is built, with LevelDB in a folder of its own. Whoever wants to break a network
 * makes one; its address stays when the server is killed and comes back.
 */
export class AppServer {
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #networks = new Set<TcpProxy>();
  #process: ServerProcess;
  /** Of the user `me`, who is the only one at the start. */
  readonly key: string;

  private constructor(
    folder: string,
    environment: Readonly<Record<string, string>>,
    process: ServerProcess,
  ) {
    this.#folder = folder;
    this.#environment = environment;
    this.#process = process;
    this.key = process.key;
  }

  /** One that has people of other tests; it ends with the process. Whoever has killed it has started it again. */
  static shared(): Promise<AppServer> {
    return (shared ??= AppServer.start());
  }

  /** @param environment options of the program besides those of all tests */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<AppServer> {
    const folder = await mkdtemp(join(tmpdir(), "outline-app-"));
    const all = { ...ENVIRONMENT, ...environment };
    try {
      const data = join(folder, "data");
      return new AppServer(folder, all, await startServerProcess({ data, environment: all }));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Its own address, without a network between. */
  get url(): string {
    return this.#process.url;
  }

  /** A network of its own for one device. It ends with the server. */
  async network(): Promise<TcpProxy> {
    const network = await TcpProxy.start(Number(new URL(this.url).port));
    this.#networks.add(network);
    return network;
  }

  /** Ends the process without a chance to finish anything. */
  async kill(): Promise<void> {
    await this.#process.stop("SIGKILL");
  }

  /** Starts it again on the same data. */
  async restart(): Promise<void> {
    const data = join(this.#folder, "data");
    this.#process = await startServerProcess({ data, environment: this.#environment });
    for (const network of this.#networks) network.target = Number(new URL(this.url).port);
  }

  /** A request to the API. */
  async call(method: string, path: string, body?: object, key = this.key): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Creates a node at the bottom of a parent and answers its key. */
  async create(name: string, parent = "None", key = this.key, more: object = {}): Promise<string> {
    const input = { name, parent_id: parent, position: "bottom", ...more };
    const { status, body } = await this.call("POST", "nodes", input, key);
    if (status !== 200) throw new Error(`no node was created: ${JSON.stringify(body)}`);
    return (body as { item_id: string }).item_id.slice(-12);
  }

  /**
   * Creates lines below a node, two spaces a level.
   * @returns their keys, by their names
   */
  async plant(
    lines: readonly string[],
    key = this.key,
    root = "None",
  ): Promise<ReadonlyMap<string, string>> {
    const keys = new Map<string, string>();
    const path = [root];
    for (const line of lines) {
      const name = line.trimStart();
      const depth = (line.length - name.length) / 2;
      const made = await this.create(name, path[depth], key);
      path.splice(depth + 1, Infinity, made);
      keys.set(name, made);
    }
    return keys;
  }

  /** All nodes of an outline, in the order of the export. */
  async everything(key = this.key): Promise<readonly ListedNode[]> {
    const { status, body } = await this.call("GET", "nodes-export", undefined, key);
    if (status !== 200) throw new Error(`no export: ${JSON.stringify(body)}`);
    return (body as { nodes: readonly ListedNode[] }).nodes;
  }

  /**
   * What {@link everything} answers as indented names, like the rows of a device.
   * @param root the key of the node that it looks into
   */
  async sketch(key = this.key, root?: string): Promise<readonly string[]> {
    const below = new Map<string | null, ListedNode[]>();
    const nodes = await this.everything(key);
    for (const node of nodes) {
      const siblings = below.get(node.parent_id);
      if (siblings === undefined) below.set(node.parent_id, [node]);
      else siblings.push(node);
    }
    const lines: string[] = [];
    const write = (parent: string | null, depth: number): void => {
      const siblings = below.get(parent) ?? [];
      for (const { id, name } of siblings.toSorted((a, b) => a.priority - b.priority)) {
        lines.push(`${"  ".repeat(depth)}${name}`);
        write(id, depth + 1);
      }
    };
    write(root === undefined ? null : (nodes.find(({ id }) => id.endsWith(root))?.id ?? root), 0);
    return lines;
  }

  /** A command of the program, beside the running server. */
  async command(...args: readonly string[]): Promise<Finished> {
    const finished = await runProgram(args, { data: join(this.#folder, "data") });
    if (finished.code !== 0) throw new Error(`${args.join(" ")}: ${finished.err}`);
    return finished;
  }

  /** Another person, with an outline of their own. Answers their key. */
  async addUser(name: string): Promise<string> {
    // Without a process for each of the many.
    const channel = await AdminClient.connect(await socketPathOf(join(this.#folder, "data")));
    if (channel === undefined) throw new Error("the server does not listen for commands");
    let key = "";
    await channel.run(
      "user-add",
      { user: name },
      {
        onItem: (added) => {
          key = added.key;
        },
      },
    );
    await channel.close();
    return key;
  }

  /** A gauge or a counter of the server. */
  async metric(name: string): Promise<number> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1] ?? Number.NaN);
  }

  async endNetwork(network: TcpProxy): Promise<void> {
    this.#networks.delete(network);
    await network.stop();
  }

  async stop(): Promise<void> {
    for (const network of this.#networks) await this.endNetwork(network);
    await this.#process.stop("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true });
  }
}
