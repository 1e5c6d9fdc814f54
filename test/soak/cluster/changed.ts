import type { ProgramOptions } from "../../e2e/server-process.ts";
import { builtProgram } from "../../support/built-program.ts";

const PROGRAM = builtProgram("changed-process.ts", import.meta.url);

/** Options of a process that runs under such conditions: see `changed-process.ts`. */
export function changed(...changes: readonly string[]): Partial<Omit<ProgramOptions, "data">> {
  return {
    program: [PROGRAM, "serve"],
    environment: { OUTLINE_CHANGED: changes.join() },
  };
}
