import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endsWithUs } from "../support/ends-with-us.ts";

/** The program as it is built: `npm test` builds it first. */
export const PROGRAM = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export interface ProgramOptions {
  /** The data folder. */
  readonly data: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** What to run in its place, a script and its arguments. */
  readonly program?: readonly string[];
  /** How many files the system lets it have open. */
  readonly openFiles?: number;
  /** Files that take the place of standard output and of standard error. */
  readonly outTo?: number;
  readonly errTo?: number;
}

export interface Finished {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A server that may not be ready yet. */
export interface LaunchedServer {
  readonly pid: number;
  /** Everything printed so far. */
  out(): string;
  err(): string;
  /** Resolves when it prints something more. */
  said(): Promise<void>;
  /** Resolves when it has ended, by itself or not. */
  readonly ended: Promise<Finished>;
  send(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Finished>;
}

export interface ServerProcess extends LaunchedServer {
  readonly url: string;
  /** What the first start has printed; empty when the server was started before. */
  readonly key: string;
}

/** Runs a command of the program to its end. @param input for its standard input */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions,
  input = "",
): Promise<Finished> {
  const child = launch(args, options);
  const { output, finished } = watch(child);
  child.stdin?.on("error", () => undefined).end(input);
  await finished;
  return { code: child.exitCode, ...output };
}

/** Starts a server on a free port. Rejects with what it printed when it does not come up. */
export async function startServerProcess(options: ProgramOptions): Promise<ServerProcess> {
  const server = launchServer(options);
  let isOver = false;
  void server.ended.then(() => (isOver = true));
  for (;;) {
    const url = / is at (https?:\S+)\n/.exec(server.out())?.[1];
    if (url !== undefined) return { ...server, url, key: keyIn(server.out()) };
    if (isOver) throw new Error(`it ended: ${server.out()}${server.err()}`);
    await Promise.race([server.said(), server.ended]);
  }
}

/** The key that a first start has printed; empty when none was. */
export function keyIn(out: string): string {
  return /^ {2}(ok_\S+)\n/m.exec(out)?.[1] ?? "";
}

/** Starts a server on a free port, and does not wait until it is ready. */
export function launchServer(options: ProgramOptions): LaunchedServer {
  const environment = { OUTLINE_PORT: "0", ...options.environment };
  const { program = [PROGRAM, "serve"] } = options;
  const child = launch([], { ...options, program, environment });
  endsWithUs(child, "KILL", options.data);
  const { output, finished } = watch(child);
  const ended = finished.then(() => ({ code: child.exitCode, ...output }));
  return {
    pid: child.pid ?? 0,
    out: () => output.out,
    err: () => output.err,
    said: () => new Promise((resolve) => child.stdout?.once("data", () => resolve())),
    ended,
    send: (signal) => void child.kill(signal),
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function launch(args: readonly string[], options: ProgramOptions): ChildProcess {
  const { data, environment = {}, nodeOptions = [], program = [PROGRAM], openFiles } = options;
  const run = [process.execPath, ...nodeOptions, ...program, ...args];
  const within = `ulimit -n ${openFiles}; exec "$0" "$@"`;
  const [command = "", ...rest] = openFiles === undefined ? run : ["/bin/sh", "-c", within, ...run];
  return spawn(command, rest, {
    stdio: ["pipe", options.outTo ?? "pipe", options.errTo ?? "pipe"],
    env: { PATH: process.env["PATH"], OUTLINE_DATA: data, ...environment },
  });
}

function watch(child: ChildProcess): {
  readonly output: { out: string; err: string };
  readonly finished: Promise<unknown>;
} {
  const output = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.err += text));
  return { output, finished: once(child, "close") };
}
