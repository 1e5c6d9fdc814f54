import { builtProgram } from "../../support/built-program.ts";
import { TaskWorker } from "../task-worker.ts";

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

export type ConnectorTasks = {
  readonly begin: readonly [ConnectorOptions, undefined];
  /** Opens all connections. */
  readonly open: readonly [undefined, ConnectorReport];
  /** Opens all of them again once they have ended. */
  readonly openAgain: readonly [undefined, ConnectorReport];
};

/** Many clients in a process of their own, so that nobody else waits for them. */
export async function startConnector(
  options: ConnectorOptions,
): Promise<TaskWorker<ConnectorTasks>> {
  const connector = new TaskWorker<ConnectorTasks>(builtProgram("connector.ts", import.meta.url));
  await connector.ask("begin", options);
  return connector;
}
