import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgramOptions } from "../../e2e/server-process.ts";

/** What stands in the program as `test/programs.vite.config.ts` builds it, once, and what stands there then. */
export type Edit = readonly [from: string, to: string];

/** A protection that is taken out of the program. */
export interface Mutant {
  /** What is wrong with the program then. */
  readonly wrong: string;
  /** Where several things protect, all of them. */
  readonly edits: readonly Edit[];
}

export type Mutants = Readonly<Record<string, Mutant>>;

const PROGRAMS = fileURLToPath(new URL("../../../build/programs", import.meta.url));
/** Beside them, so that they find the same packages. */
const MUTANTS = fileURLToPath(new URL("../../../build/mutants", import.meta.url));

/** What each of them does wrong, for a row. */
export function controlsOf(mutants: Mutants): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(mutants).map(([name, { wrong }]) => [name, wrong]));
}

/** Starts the program with edits. */
export function mutantOf({ edits }: Pick<Mutant, "edits">): Pick<ProgramOptions, "program"> {
  return { program: [changedProgram("program.js", edits), "serve"] };
}

/**
 * A copy of a built program with edits, which is made once.
 *
 * @param path below the folder of the programs @returns the path of the copy
 * @throws Error when an edit does not find its one place: then it has to be written anew
 */
export function changedProgram(path: string, edits: readonly Edit[]): string {
  // What other programs have alone is in folders.
  const names = readdirSync(PROGRAMS).filter((name) => name.endsWith(".js"));
  const texts = new Map(
    [...new Set([...names, path])].map((name) => [
      name,
      readFileSync(join(PROGRAMS, name), "utf8"),
    ]),
  );
  for (const [from, to] of edits) {
    const places = [...texts].filter(([, text]) => text.includes(from));
    const parts = places[0]?.[1].split(from) ?? [];
    if (places.length !== 1 || parts.length !== 2) throw new Error(`no mutant: ${from}`);
    texts.set(places[0]?.[0] ?? "", parts.join(to));
  }
  const hash = createHash("sha256")
    .update(JSON.stringify([...texts]))
    .digest("hex");
  const copy = join(MUTANTS, hash.slice(0, 16));
  if (!existsSync(copy)) writeCopy(copy, texts);
  return join(copy, path);
}

function writeCopy(copy: string, texts: ReadonlyMap<string, string>): void {
  mkdirSync(MUTANTS, { recursive: true });
  const made = mkdtempSync(join(MUTANTS, "making-"));
  for (const [name, text] of texts) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), text);
  }
  try {
    renameSync(made, copy);
  } catch (error) {
    // Another process has made the same.
    if (!existsSync(copy)) throw error;
    rmSync(made, { recursive: true });
  }
}
