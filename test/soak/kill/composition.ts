import {
  type ProgramOptions,
  type ServerProcess,
  startServerProcess,
} from "../../e2e/server-process.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { Death } from "./dying-in-compaction.ts";

const COMPOSED_SERVER = builtProgram("composed-server.ts", import.meta.url);

/** How a server can be broken. */
export type Breakage = "acknowledges-early" | "trims-before-saving" | "never-syncs";

/** What a server is made of that is not the built one. */
export interface Composition {
  readonly broken?: Breakage;
  /** Comes to pass once the process got a SIGUSR2. */
  readonly death?: Death;
  /** Writes a snapshot after every few edits, and trims what it holds. */
  readonly compactsOften?: boolean;
}

/** The built server, set so that everything may be read at any time. */
export function builtServer(data: string): ProgramOptions {
  return { data, environment: { OUTLINE_EXPORT_LIMIT_MS: "0", OUTLINE_LOG_LEVEL: "error" } };
}

export function composedServer(data: string, composition: Composition): ProgramOptions {
  return {
    data,
    program: [COMPOSED_SERVER, JSON.stringify(composition)],
  };
}

export function startBuiltServer(data: string): Promise<ServerProcess> {
  return startServerProcess(builtServer(data));
}

export function startComposedServer(
  data: string,
  composition: Composition,
): Promise<ServerProcess> {
  return startServerProcess(composedServer(data, composition));
}
