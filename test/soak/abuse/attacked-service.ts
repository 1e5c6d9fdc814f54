import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AdminClient } from "../../../src/admin/admin-client.ts";
import { socketPathOf } from "../../../src/admin/socket-path.ts";
import { call } from "../../e2e/program-folder.ts";
import {
  type ProgramOptions,
  type ServerProcess,
  startServerProcess,
} from "../../e2e/server-process.ts";
import { metricsOf } from "../slow-reader/server-memory.ts";
import type { Site } from "./abuse.ts";
import { type Mutant, mutantOf } from "./mutant.ts";

const MIB = 2 ** 20;
/** The heap that has to be enough. */
const HEAP_MIB = 512;
const ATTACKER_ADDRESS = "127.0.0.2";

/** Lets a collection be asked for by a signal: what is not collected yet is nobody's. */
const COLLECTS_WHEN_ASKED = [
  "--expose-gc",
  "--import",
  "data:text/javascript,process.on('SIGUSR2', () => gc())",
];
const COLLECTED_AFTER_MS = 300;

export interface Memory {
  /** Heap and buffers. */
  readonly heldMib: number;
  readonly residentMib: number;
  /** Of it the open outlines, as the server estimates them. */
  readonly outlinesMib: number;
}

/** What the server is started with, besides what it always is. */
export interface ServiceOptions {
  readonly seed: number;
  readonly heapMib?: number;
  readonly options?: Readonly<Record<string, string>>;
  /** The protection to be taken out of the program. */
  readonly mutant?: Mutant | undefined;
}

/** The built server with a heap of 512 MiB, in a folder of its own. */
export class AttackedService {
  readonly #folder: string;
  readonly #seed: number;
  #server: ServerProcess;
  #ended: string | undefined;

  private constructor(server: ServerProcess, folder: string, seed: number) {
    this.#server = server;
    this.#folder = folder;
    this.#seed = seed;
    this.#watch();
  }

  static async start(options: ServiceOptions): Promise<AttackedService> {
    const folder = await mkdtemp(join(tmpdir(), "outline-abuse-"));
    const server = await startServerProcess(programOf(join(folder, "data"), options));
    return new AttackedService(server, folder, options.seed);
  }

  /** Starts the program anew on what is stored. */
  async restart(options: ServiceOptions): Promise<void> {
    await this.#server.stop("SIGTERM");
    this.#server = await startServerProcess(programOf(this.#data, options));
    this.#ended = undefined;
    this.#watch();
  }

  get server(): ServerProcess {
    return this.#server;
  }

  /** Adds a user who attacks. */
  async newSite(user: string): Promise<Site> {
    const { url } = this.#server;
    const key = await this.newUser(user);
    const { body } = await call(this.#server, key, "POST", "keys", { name: "r", scope: "read" });
    const { key: readKey } = body as { readonly key: string };
    return { url, key, readKey, address: ATTACKER_ADDRESS, seed: this.#seed };
  }

  /** Adds a user. @returns a key */
  async newUser(user: string): Promise<string> {
    const client = await AdminClient.connect(await socketPathOf(this.#data));
    let key = "";
    await client?.run("user-add", { user }, { onItem: (item) => void (key = item.key) });
    if (key === "") throw new Error(`no user ${user}`);
    return key;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** How it ended; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** @throws Error when the server is gone */
  async memory(): Promise<Memory> {
    const [heap = 0, external = 0, resident = 0, outlines = 0] = await metricsOf(this.server, [
      "nodejs_heap_size_used_bytes",
      "nodejs_external_memory_bytes",
      "process_resident_memory_bytes",
      "outline_documents_bytes",
    ]);
    return {
      heldMib: (heap + external) / MIB,
      residentMib: resident / MIB,
      outlinesMib: outlines / MIB,
    };
  }

  /** The same when what nobody holds has been collected. */
  async memoryAtRest(): Promise<Memory> {
    this.server.send("SIGUSR2");
    await delay(COLLECTED_AFTER_MS);
    return this.memory();
  }

  async stop(): Promise<void> {
    await this.#server.stop("SIGKILL");
    await rm(this.#folder, { recursive: true });
  }

  #watch(): void {
    const server = this.#server;
    void server.ended.then(({ code, err }) => {
      if (server === this.#server) {
        this.#ended = `the server ended with ${code ?? "a signal"}: ${err.slice(-500)}`;
      }
      return undefined;
    });
  }
}

function programOf(data: string, service: ServiceOptions): ProgramOptions {
  const { heapMib = HEAP_MIB, options = {}, mutant } = service;
  return {
    data,
    environment: { OUTLINE_LOG_LEVEL: "warn", OUTLINE_WEBHOOK_INSECURE: "true", ...options },
    nodeOptions: [`--max-old-space-size=${heapMib}`, ...COLLECTS_WHEN_ASKED],
    ...(mutant !== undefined && mutantOf(mutant)),
  };
}
