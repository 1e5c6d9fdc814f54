import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SearchReport, SearchTask } from "./search.ts";

/** A protection that is taken out of the program's source when it is loaded. */
export interface Weakness {
  /** What is wrong with the program then. */
  readonly wrong: string;
  /** A file below `src`, what stands there, once, and what stands there then. */
  readonly edits: readonly (readonly [file: string, from: string, to: string])[];
}

type Said =
  | { readonly done: number }
  | { readonly failure: string }
  | { readonly report: SearchReport };

interface SearchListener {
  /** Called after each case; false ends the search with what it has. */
  readonly goesOn: (done: number) => boolean;
  /** A case is over the limits. */
  readonly onFailure: (failure: string) => void;
}

/** Searches in a process of its own, which may be one without a protection. */
export async function search(
  task: SearchTask,
  weakness: Weakness | undefined,
  { goesOn, onFailure }: SearchListener,
): Promise<SearchReport> {
  const weakening = weakness === undefined ? [] : ["--import", weakeningModule(weakness)];
  const child = fork(fileURLToPath(new URL("search-process.ts", import.meta.url)), {
    execArgv: [...weakening, "--import", "tsx", "--expose-gc"],
    // In JSON there is no limit that is infinite.
    serialization: "advanced",
  });
  const ended = once(child, "exit");
  try {
    return await new Promise<SearchReport>((resolve, reject) => {
      child.on("message", (said: Said) => {
        if ("report" in said) resolve(said.report);
        else if ("failure" in said) onFailure(said.failure);
        else if (!goesOn(said.done)) child.send("end");
      });
      child.on("exit", (code, signal) => reject(new Error(`the search ended: ${code ?? signal}`)));
      child.send({ task });
    });
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}

/** Before the loader that knows TypeScript, so that it gets the changed source. */
function weakeningModule({ edits }: Weakness): string {
  const hooks = `
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      let source = loaded.source;
      for (const [file, from, to] of ${JSON.stringify(edits)}) {
        if (!url.split("?")[0].endsWith("/src/" + file)) continue;
        const parts = String(source).split(from);
        if (parts.length !== 2) throw new Error("nothing to weaken: " + from);
        source = parts.join(to);
      }
      return { ...loaded, source };
    }`;
  return moduleOf(`
    import { register } from "node:module";
    register(${JSON.stringify(moduleOf(hooks))});`);
}

function moduleOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
