import { fork } from "node:child_process";
import { once } from "node:events";
import { builtProgram } from "../../support/built-program.ts";
import { changedProgram, type Mutant } from "../abuse/mutant.ts";
import type { SearchReport, SearchTask } from "./search.ts";

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
  mutant: Mutant | undefined,
  { goesOn, onFailure }: SearchListener,
): Promise<SearchReport> {
  const program =
    mutant === undefined
      ? builtProgram("search-process.ts", import.meta.url)
      : changedProgram("soak/cost/search-process.js", mutant.edits);
  const child = fork(program, {
    execArgv: ["--expose-gc"],
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
