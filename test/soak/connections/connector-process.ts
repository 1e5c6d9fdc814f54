import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { builtProgram } from "../../support/built-program.ts";

export interface ConnectorOptions {
  /** As in `ws://host:port/sync/me`. */
  readonly url: string;
  /** Taken in turn. */
  readonly keys: readonly string[];
  /** Taken in turn: where connections come from. */
  readonly addresses: readonly string[];
  readonly count: number;
  /** In which time all are begun. */
  readonly withinMs: number;
}

export interface ConnectorReport {
  readonly opened: number;
  readonly failures: readonly string[];
  readonly tookMs: number;
}

const PROGRAM = builtProgram("connector.ts", import.meta.url);

/** Many clients in a process of their own, so that nobody else waits for them. */
export class ConnectorProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(options: ConnectorOptions): Promise<ConnectorProcess> {
    const child = fork(PROGRAM, [JSON.stringify(options)]);
    await once(child, "message");
    return new ConnectorProcess(child);
  }

  /** Opens all connections. */
  open(): Promise<ConnectorReport> {
    return this.#ask("open");
  }

  /** Opens all of them again once they have ended. */
  openAgain(): Promise<ConnectorReport> {
    return this.#ask("open again");
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #ask(request: "open" | "open again"): Promise<ConnectorReport> {
    const answered = once(this.#child, "message") as Promise<[ConnectorReport]>;
    const ended = once(this.#child, "exit").then(([code]) => {
      throw new Error(`the connector has ended with ${code}`);
    });
    this.#child.send(request);
    const [report] = await Promise.race([answered, ended]);
    return report;
  }
}
