import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { storeUnavailable } from "../store-failure.ts";

/** What a statement may be given: numbers, texts without NUL, bytes, lists of these, nothing. */
export type SqlValue = number | string | boolean | Uint8Array | null | readonly SqlValue[];

/** Prepared once on each connection, when it has a name. */
export type Statement = string | { readonly name: string; readonly text: string };

/** Runs statements, each of which is a transaction of its own where none has begun. */
export interface Sql {
  query<T extends object>(
    statement: Statement,
    values?: readonly SqlValue[],
  ): Promise<readonly T[]>;
}

export interface SqlOptions {
  /** `postgres://user:password@host:port/database?…` */
  readonly url: string;
  readonly connectMs: number;
  /** After which the database ends a statement. */
  readonly statementMs: number;
  /** After which nobody waits for an answer any more: the network is cut, or the database stands. */
  readonly answerMs: number;
  /**
   * After which the database ends a transaction in which nothing is said: a process that stands still,
   * or is cut off, must not keep others out of what it has locked.
   */
  readonly silenceMs: number;
}

export const DEFAULT_SQL_LIMITS: Omit<SqlOptions, "url" | "silenceMs"> = {
  connectMs: 5000,
  statementMs: 15_000,
  answerMs: 20_000,
};

/**
 * The database hangs up on who is gone without a word within a quarter of a minute: else it would keep
 * its connections for hours, of which it has few. And a statement sees what was committed before it,
 * as all of them are written, whatever the database has as its default.
 */
const SETTINGS = [
  "tcp_keepalives_idle=10",
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
  "tcp_user_timeout=15000",
  "default_transaction_isolation=read\\ committed",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");
/** How long it may take to say goodbye. */
export const GOODBYE_MS = 1000;

/** Whole numbers of 8 bytes as numbers: those that the store writes are safe. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, Number);

/** @param onSocket is called with the socket of each connection, by which it can be hung up */
export function clientConfig(
  options: SqlOptions,
  onSocket: (socket: Socket) => void,
): pg.ClientConfig {
  return {
    connectionString: options.url,
    types: TYPES,
    fallback_application_name: "outline",
    keepAlive: true,
    connectionTimeoutMillis: options.connectMs,
    statement_timeout: options.statementMs,
    query_timeout: options.answerMs,
    idle_in_transaction_session_timeout: options.silenceMs,
    options: SETTINGS,
    stream: () => {
      const socket = new Socket();
      onSocket(socket);
      return socket;
    },
  };
}

/**
 * Runs a statement. `T` says what the statement selects: the database has checked the types of its
 * columns when the tables were made.
 * @throws StoreError `store_unavailable`
 */
export async function runSql<T extends object>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly SqlValue[] = [],
  answerMs?: number,
): Promise<readonly T[]> {
  try {
    const { rows } = await client.query<T>({
      ...(typeof statement === "string" ? { text: statement } : statement),
      values: values.map(asParameter),
      ...(answerMs === undefined ? {} : { query_timeout: answerMs }),
    });
    return rows;
  } catch (cause) {
    throw storeUnavailable(cause);
  }
}

/** `pg` sends a `Buffer` as bytes, other views of bytes as JSON. */
function asParameter(value: SqlValue): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** One connection that is kept for one purpose. */
export class SqlSession {
  readonly #client: pg.Client;
  readonly #socket: () => Socket | undefined;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;

  /** @throws StoreError `store_unavailable` */
  static async open(options: SqlOptions): Promise<SqlSession> {
    let socket: Socket | undefined;
    const client = new pg.Client(clientConfig(options, (made) => (socket = made)));
    const session = new SqlSession(client, () => socket);
    try {
      await client.connect();
    } catch (cause) {
      session.hangUp();
      throw storeUnavailable(cause);
    }
    return session;
  }

  private constructor(client: pg.Client, socket: () => Socket | undefined) {
    this.#client = client;
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      client.once("end", () => resolve());
      // What is under way is rejected with the same error.
      client.on("error", () => resolve());
    });
  }

  /** @throws StoreError `store_unavailable` */
  query<T extends object>(
    statement: Statement,
    values: readonly SqlValue[] = [],
    answerMs?: number,
  ): Promise<readonly T[]> {
    return runSql<T>(this.#client, statement, values, answerMs);
  }

  /** Of the channels that it listens to. */
  onNotification(callback: () => void): void {
    this.#client.on("notification", callback);
  }

  /** Says goodbye, and hangs up when that is not heard, or when somebody waits for an answer still. */
  async close(): Promise<void> {
    const ended = this.#client.end().catch(() => undefined);
    await Promise.race([ended, delay(GOODBYE_MS, undefined, { ref: false })]);
    this.hangUp();
  }

  /** Ends it at once, whether or not the database can be reached: whoever waits is refused. */
  hangUp(): void {
    this.#socket()?.destroy();
  }
}
