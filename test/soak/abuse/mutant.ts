import { fileURLToPath } from "node:url";
import type { ProgramOptions } from "../../e2e/server-process.ts";

/** A change of one file of the program. */
export interface Edit {
  /** Below `build`. */
  readonly file: string;
  /** What stands there, once. */
  readonly from: string;
  readonly to: string;
}

/** A protection that is taken out of the program when it is loaded. */
export interface Mutant {
  /** What is wrong with the program then. */
  readonly wrong: string;
  /** Where several things protect, all of them. */
  readonly edits: readonly Edit[];
}

/** The program file by file, as `tsc -b src` leaves it: what is built for users is in few. */
const PROGRAM = fileURLToPath(new URL("../../../build/main.js", import.meta.url));

/**
 * Starts the program with edits. One in which an edit finds nothing to be changed does not start: then
 * the edit has to be written anew.
 */
export function mutantOf({ edits }: Mutant): Pick<ProgramOptions, "program"> {
  const hooks = `
    const edits = ${JSON.stringify(edits)};
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      let source = loaded.source;
      for (const { file, from, to } of edits) {
        if (!url.endsWith("/build/" + file)) continue;
        const parts = String(source).split(from);
        if (parts.length !== 2) throw new Error("no mutant of " + file + ": " + from);
        source = parts.join(to);
      }
      return { ...loaded, source };
    }`;
  const registering = `
    import { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  const hooked = ["--import", `data:text/javascript,${encodeURIComponent(registering)}`];
  return { program: [...hooked, PROGRAM, "serve"] };
}
