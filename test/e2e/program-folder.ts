import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { openChannel } from "../../src/open-channel.ts";
import { invoke, type Invoked } from "../command/invoke.ts";
import {
  type Finished,
  type ProgramOptions,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

/** A data folder of its own for each test, and no process that outlives it. */
export interface ProgramFolder {
  /** For files of the test; the data folder is in it. */
  readonly path: string;
  readonly data: string;
  start(options?: Partial<ProgramOptions>): Promise<ServerProcess>;
  /** Runs a command as the program does, but in this process: one of its own is several times dearer. */
  readonly command: (
    args: readonly string[],
    options?: Partial<Pick<ProgramOptions, "data" | "environment">>,
  ) => Promise<Invoked>;
  run(
    args: readonly string[],
    options?: Partial<ProgramOptions>,
    input?: string,
  ): Promise<Finished>;
}

/** Starting processes is slow, and slower where many tests share few cores. */
const TIMEOUT_MS = 240_000;

/** To be called once, in a test file. */
export function useProgramFolder(): ProgramFolder {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let path = "";
  const servers: ServerProcess[] = [];

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "outline-e2e-"));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop("SIGKILL")));
    await rm(path, { recursive: true, force: true });
  });

  return {
    get path() {
      return path;
    },
    get data() {
      return join(path, "data");
    },
    async start(options = {}) {
      const server = await startServerProcess({ data: this.data, ...options });
      servers.push(server);
      return server;
    },
    command: (args, { data = join(path, "data"), environment } = {}) =>
      invoke(args, openChannel, { OUTLINE_DATA: data, ...environment }),
    run(args, options = {}, input) {
      return runProgram(args, { data: this.data, ...options }, input);
    },
  };
}

/** A request to the API. */
export async function call(
  server: Pick<ServerProcess, "url">,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
