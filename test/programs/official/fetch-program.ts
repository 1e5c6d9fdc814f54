import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** A program that others have made for this API: where it is, what it needs and how it is built. */
export interface OfficialProgram {
  readonly repository: string;
  readonly tag: string;
  /** What the tag stood for when its requests were recorded. */
  readonly commit: string;
  /** From the npm registry. Their scripts are not run. */
  readonly packages: readonly string[];
  /** The files that name the server which it asks. */
  readonly addressedIn: readonly string[];
  /** Run in its folder, with the commands of its packages. */
  readonly build: readonly (readonly [command: string, ...args: readonly string[]])[];
}

/** A folder or an address with both repositories. */
const FROM = process.env["OUTLINE_PROGRAMS_FROM"] ?? "https://github.com/rodolfo-terriquez";
const SERVERS = /https:\/\/(?:beta\.)?workflowy\.com/g;

const run = promisify(execFile);

/** Where the commands of its packages are found, and then all others. */
export function pathOf(folder: string): string {
  return `${join(folder, "node_modules/.bin")}:${process.env["PATH"]}`;
}

/**
 * Fetches a program, and changes nothing of it but the address of the server.
 * @param folder an empty one; the packages come into it
 * @param origin of the server, without a slash at its end
 * @returns the folder of the program, in that one
 */
export async function fetchProgram(
  { repository, tag, commit, packages, addressedIn, build }: OfficialProgram,
  { folder, origin }: { readonly folder: string; readonly origin: string },
): Promise<string> {
  const program = join(folder, "program");
  const env = { ...process.env, PATH: pathOf(folder), GIT_TERMINAL_PROMPT: "0" };
  const does = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> =>
    run(command, args, { cwd, env, timeout: 300_000 }).then(
      ({ stdout }) => stdout,
      (error: unknown) => {
        const what = `${repository} ${tag} could not be fetched from ${FROM}, or not be built`;
        throw new Error(`${what}: ${command} ${args[0]} failed, see the cause`, { cause: error });
      },
    );
  const clone = ["clone", "-c", "advice.detachedHead=false", "--quiet", "--depth", "1"] as const;
  await does(folder, "git", ...clone, "--branch", tag, `${FROM}/${repository}.git`, program);
  const found = (await does(program, "git", "rev-parse", "HEAD")).trim();
  if (found !== commit) throw new Error(`${repository} ${tag} is ${found} now, and not ${commit}`);

  const install = ["install", "--prefix", ".", "--no-audit", "--no-fund", "--no-save"] as const;
  await does(folder, "npm", ...install, "--ignore-scripts", ...packages);
  for (const file of addressedIn) {
    const text = await readFile(join(program, file), "utf8");
    const addressed = text.replaceAll(SERVERS, origin);
    if (addressed === text) throw new Error(`${repository} ${tag}: ${file} names no server`);
    await writeFile(join(program, file), addressed);
  }
  for (const [command, ...args] of build) await does(program, command, ...args);
  return program;
}
