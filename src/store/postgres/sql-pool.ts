import type { Socket } from "node:net";
import pg from "pg";
import type { Sql, SqlOptions, SqlValue, Statement } from "./sql-session.ts";
import { clientConfig, runSql } from "./sql-session.ts";
import { storeUnavailable } from "../store-failure.ts";

/** Runs statements within a transaction. */
export type Run = Sql["query"];

/** With the connections for appends and for ownership this makes the eight that a process has. */
const MOST_CONNECTIONS = 6;
const IDLE_MS = 30_000;

export type TransactionKind = "read" | "write";

const BEGIN: Record<TransactionKind, string> = {
  read: "begin isolation level repeatable read read only",
  write: "begin",
};

/** The connections that reads, accounts and snapshots share. Whoever finds none waits. */
export class SqlPool {
  readonly #pool: pg.Pool;
  readonly #options: SqlOptions;
  /** One of each connection. [Q67] */
  readonly #sockets = new Set<Socket>();

  constructor(options: SqlOptions) {
    this.#options = options;
    const onSocket = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    };
    this.#pool = new pg.Pool({
      ...clientConfig(options, onSocket),
      max: MOST_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
    });
    // Of connections that nobody uses; those in use tell whoever uses them.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** One statement, which is a transaction of its own. @throws StoreError `store_unavailable` */
  async query<T extends object>(
    statement: Statement,
    values: readonly SqlValue[] = [],
  ): Promise<readonly T[]> {
    return this.#with((client) => runSql<T>(client, statement, values));
  }

  /**
   * Everything that `work` does, or nothing when it throws. A reading one sees the store as it was at
   * one moment.
   * @param statementMs how long a statement of it may take, where that is more than others may
   * @throws StoreError `store_unavailable`, and what `work` throws
   */
  async transaction<T>(
    kind: TransactionKind,
    work: (run: Run) => Promise<T>,
    statementMs?: number,
  ): Promise<T> {
    return this.#with(async (client) => {
      const answerMs =
        statementMs === undefined
          ? undefined
          : statementMs + this.#options.answerMs - this.#options.statementMs;
      const run: Run = (statement, values) => runSql(client, statement, values, answerMs);
      await run(BEGIN[kind]);
      if (statementMs !== undefined) {
        await run(`set local statement_timeout = ${statementMs}`);
      }
      const result = await work(run);
      await run("commit");
      return result;
    });
  }

  /** Ends all connections at once: the next statement has a new one. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #with<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (cause) {
      throw storeUnavailable(cause);
    }
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // It may be in a transaction, or wait for an answer still. Hung up on, it does neither.
      client.release(true);
      throw error;
    }
  }
}
