import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { execPath } from "node:process";
import type { Readable, Writable } from "node:stream";
import autocannon from "autocannon";
import { cpuUsOf, residentBytesOf, writtenBytesOf } from "./process-time.ts";

export interface Load {
  readonly connections: number;
  /** Sent one after the other by each connection, over and over. */
  readonly requests: readonly autocannon.Request[];
  readonly headers: Readonly<Record<string, string>>;
  /** How many requests all connections send together. */
  readonly amount: number;
}

/** What some requests came to. */
export interface LoadFigures {
  /** Processor microseconds of the server for each request. */
  readonly cpuUs: number;
  readonly perSecond: number;
}

/** A million nodes, and what they were read from. */
const HEAP_MB = 12_000;

/** A server in a process of its own, and what it costs. */
export class BenchProgram {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly pid: number;
  readonly url: string;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>, url: string) {
    this.#process = process;
    this.pid = process.pid ?? 0;
    this.url = url;
  }

  /**
   * @param args of node: the script among them, which prints an address when it listens
   * @param input what the process reads first
   */
  static async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input = "",
  ): Promise<BenchProgram> {
    const child = spawn(execPath, [`--max-old-space-size=${HEAP_MB}`, ...args], {
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(input);
    const ended = once(child, "exit").then(() => {
      throw new Error(`${args.join(" ")} ended`);
    });
    let output = "";
    for (;;) {
      const [chunk] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer];
      output += chunk.toString();
      const url = /http:\/\/\S+:\d+/.exec(output)?.[0];
      if (url === undefined) continue;
      ended.catch(() => undefined);
      return new BenchProgram(child, url);
    }
  }

  /** Sends requests, and answers what they have cost. @throws when one of them is refused */
  async load(path: string, { connections, requests, headers, amount }: Load): Promise<LoadFigures> {
    const before = await this.cpuUs();
    const startedAt = performance.now();
    const { non2xx, errors } = await autocannon({
      url: this.url + path,
      connections,
      amount,
      headers,
      requests: [...requests],
    });
    const seconds = (performance.now() - startedAt) / 1000;
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} refused, ${errors} failed`);
    return { cpuUs: ((await this.cpuUs()) - before) / amount, perSecond: amount / seconds };
  }

  cpuUs(): Promise<number> {
    return cpuUsOf(this.pid);
  }

  residentBytes(): Promise<number> {
    return residentBytesOf(this.pid);
  }

  writtenBytes(): Promise<number> {
    return writtenBytesOf(this.pid);
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}
