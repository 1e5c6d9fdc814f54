import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { endsWithUs } from "../../support/ends-with-us.ts";
import type { Places } from "../recorded.ts";
import { Elsewhere } from "./elsewhere.ts";
import { fetchProgram, type OfficialProgram, pathOf } from "./fetch-program.ts";
import { type Person, test as programTest } from "./official-test.ts";

const WF: OfficialProgram = {
  repository: "workflowy-cli",
  tag: "v3.3.1",
  commit: "7fd246ea665220ea4948a5b72f6bf28b9da5ec93",
  packages: ["bun@1.4.5", "chalk@5.6.2", "commander@14.0.3"],
  addressedIn: ["cli/shared/api.ts"],
  build: [
    ["node", "../node_modules/bun/install.js"],
    // It looks for its updates in the branch that it is on.
    ["git", "branch", "released"],
    ["git", "switch", "--quiet", "--create", "used", "--track", "released"],
  ],
};

/** How the tool calls the files of its account `default`. */
export const ACCOUNT = Buffer.from("default").toString("base64url");

/** The first words of the lines that were run, those of all people. */
export const ran = new Set<string>();

/** The command line tool, in the hands of a person. */
export class Wf {
  readonly #folder: string;
  readonly #person: Person;
  readonly config: string;
  readonly #begun: ChildProcess[] = [];

  /** @param folder that of the tool and its packages */
  constructor(folder: string, person: Person) {
    this.#folder = folder;
    this.#person = person;
    this.config = join(person.home, ".workflowy");
  }

  /** Signs in without asking the service, and lets the tool export as often as it likes to. */
  async signIn(): Promise<void> {
    const { key: token } = this.#person;
    await this.write("config.json", {
      activeAccount: "default",
      accounts: { default: { name: "default", token } },
      api: { rateLimit: { requestsPerMinute: 1_000, exportMinIntervalSeconds: 1 } },
    });
  }

  /** Has it ask a language model there. */
  async useModel(url: string): Promise<void> {
    await this.run(`config:set llm.baseUrl ${url}`);
    await this.run("config:set llm.model any");
    await this.run("config:set llm.apiKey --stdin", "none");
  }

  /** Writes a file that the tool keeps. */
  async write(file: string, content: unknown): Promise<void> {
    await mkdir(dirname(join(this.config, file)), { recursive: true });
    await writeFile(join(this.config, file), JSON.stringify(content));
  }

  /** Has it a copy of the outline, without what that asks for. */
  async sync(): Promise<void> {
    await this.run("sync");
    this.#person.forget();
  }

  /**
   * Runs a line to its end, which has to be a good one.
   * @param line as it is typed behind `wf`; see `wordsOf`
   * @returns what it printed
   */
  async run(line: string, input = ""): Promise<string> {
    const child = this.#spawn(line);
    child.stdin.end(input);
    const output = [text(child.stdout), text(child.stderr)] as const;
    const [printed, complaint] = await Promise.all([...output, once(child, "close")]);
    if (child.exitCode === 0) return printed;
    throw new Error(`wf ${line} ended with ${child.exitCode}:\n${printed}${complaint}`);
  }

  /** Runs several lines, one after the other. */
  async runAll(lines: string): Promise<void> {
    for (const line of lines.split(", ")) await this.run(line);
  }

  /** Begins what goes on until it is ended. */
  start(line: string): ChildProcess {
    const child = this.#spawn(line);
    endsWithUs(child, "KILL", this.#person.home);
    this.#begun.push(child);
    return child;
  }

  /** Ends what goes on: what was begun, and what the tool has begun in the background. */
  async end(): Promise<void> {
    for (const child of this.#begun) child.kill("SIGKILL");
    const daemon = await readFile(join(this.config, `sync-${ACCOUNT}.pid`), "utf8").catch(() => "");
    if (daemon !== "") process.kill(Number(daemon), "SIGKILL");
  }

  #spawn(line: string): ChildProcessWithoutNullStreams {
    const { command, args, env } = this.commandOf(...wordsOf(line, this.#person.at));
    return spawn(command, args, { env, cwd: this.#person.home });
  }

  /** A line as another program runs it. */
  commandOf(...words: readonly string[]): {
    readonly command: string;
    readonly args: string[];
    readonly env: Record<string, string>;
  } {
    ran.add(words.find((word) => !word.startsWith("--")) ?? "");
    return {
      command: "bun",
      args: ["run", join(this.#folder, "program/cli/wf.ts"), ...words],
      // A terminal without a hand: it asks nothing, and says what it does in words.
      env: { PATH: pathOf(this.#folder), HOME: this.#person.home, TERM: "xterm", SHELL: "bash" },
    };
  }
}

/**
 * The words of a line, where `'two words'` are one, and `\n` in those is the end of a line. `GARDEN` is
 * the short id of the garden, and `GARDEN.id` its full id.
 */
function wordsOf(line: string, at: Places): readonly string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => {
    if (quoted !== undefined) return quoted.replaceAll(String.raw`\n`, "\n");
    const [, name = "", id] = /^([A-Z]+)(\.id)?$/.exec(word) ?? [];
    const place = at[name.toLowerCase() as keyof Places] as Places["garden"] | undefined;
    if (place === undefined) return word;
    return id === undefined ? place.tag : place.id;
  });
}

/** What a model answers to all of the tool's questions. */
const SAID = {
  summary: "Less to do",
  operations: [{ op: "insert", under: "root", text: "rest" }],
  ids: [],
};

export const test = programTest
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads there what a fixture needs.
  .extend("elsewhere", async ({}, { onCleanup }) => {
    const elsewhere = await Elsewhere.start(SAID);
    onCleanup(() => elsewhere.close());
    return elsewhere;
  })
  .extend("packages", { scope: "file" }, async ({ folder, proxy }) => {
    const packages = join(folder, "wf");
    await mkdir(packages);
    await fetchProgram(WF, { folder: packages, origin: proxy.url });
    return packages;
  })
  .extend("wf", async ({ packages, person }, { onCleanup }) => {
    const wf = new Wf(packages, person);
    onCleanup(() => wf.end());
    await wf.signIn();
    return wf;
  });
