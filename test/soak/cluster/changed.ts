import { fileURLToPath } from "node:url";
import type { ProgramOptions } from "../../e2e/server-process.ts";

const PROGRAM = fileURLToPath(new URL("changed-process.ts", import.meta.url));

/** Options of a process that runs under such conditions: see `changed-process.ts`. */
export function changed(...changes: readonly string[]): Partial<Omit<ProgramOptions, "data">> {
  return {
    nodeOptions: ["--import", "tsx"],
    program: [PROGRAM, "serve"],
    environment: { OUTLINE_CHANGED: changes.join() },
  };
}
