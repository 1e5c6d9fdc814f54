import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import type { PostgresLimits } from "../../../src/store/postgres/postgres-store.ts";
import { endsWithUs } from "../ends-with-us.ts";
import { freePort } from "../free-port.ts";
import { postgresBinaries } from "./postgres-binaries.ts";

/** So long that a busy machine ends nothing. */
export const PATIENT: PostgresLimits = {
  connectMs: 120_000,
  statementMs: 120_000,
  answerMs: 120_000,
  leaseMs: 120_000,
};

/** Of `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const PATIENCE_MS = 60_000;

/** The one of all files that this process runs one after the other. */
let shared: Promise<PostgresServer> | undefined;

/** A server of PostgreSQL for tests, on the loopback address. It ends with the process. */
export class PostgresServer {
  readonly #folder: string;
  readonly #postgres: string;
  readonly port: number;
  #process: ChildProcess | undefined;
  #databases = 0;

  /** One in whose first database nothing is. Whoever has killed it has begun it again. */
  static async shared(): Promise<PostgresServer> {
    const server = await (shared ??= PostgresServer.start());
    await server.empty();
    return server;
  }

  /** One of its own. @param parent of the folder for its files, where they are to be on another disk */
  static async start(parent = tmpdir()): Promise<PostgresServer> {
    const folder = await mkdtemp(join(parent, "outline-postgres-"));
    const { initdb, postgres } = await postgresBinaries(folder);
    const port = await freePort();
    if (isRoot()) await chown(folder, NOBODY, NOBODY);
    const server = new PostgresServer(folder, postgres, port);
    const how = ["--auth=trust", "--username=outline", "--encoding=UTF8", "--no-sync"];
    const options = { cwd: folder, ...identity() };
    await promisify(execFile)(initdb, ["-D", server.#data, ...how, "--no-locale"], options);
    await server.begin();
    return server;
  }

  private constructor(folder: string, postgres: string, port: number) {
    this.#folder = folder;
    this.#postgres = postgres;
    this.port = port;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** Of a database, which need not exist. */
  urlOf(database: string, port = this.port): string {
    return `postgres://outline@127.0.0.1:${port}/${database}`;
  }

  /** Removes what is in the first database. */
  async empty(): Promise<void> {
    await this.run("postgres", "drop schema if exists outline_store cascade");
  }

  /** Makes a database. @returns its name */
  async newDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.run("postgres", `create database ${name}`);
    return name;
  }

  /** Runs a statement as the owner. */
  async run(database: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
    // Ended below, or by the server that a test stops.
    client.on("error", () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Begins it, after `kill` too. */
  async begin(settings: readonly string[] = []): Promise<void> {
    const common = ["listen_addresses=127.0.0.1", "unix_socket_directories="];
    const options = [...common, ...settings].flatMap((setting) => ["-c", setting]);
    const place = ["-D", this.#data, "-p", String(this.port)];
    const child = spawn(this.#postgres, [...place, ...options], {
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
      ...identity(),
    });
    let log = "";
    child.stderr.on("data", (text: Buffer) => (log = (log + text.toString()).slice(-4000)));
    this.#process = child;
    endsWithUs(child, "QUIT", this.#folder);
    const giveUpAt = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        await this.run("postgres", "select 1");
        return;
      } catch (cause) {
        if (child.exitCode !== null || Date.now() > giveUpAt) {
          throw new Error(`PostgreSQL does not start: ${log}`, { cause });
        }
        await delay(30);
      }
    }
  }

  /**
   * Another server that follows this one, and confirms nothing that it would have to wait for.
   * @param port by which it reaches this one
   */
  async standby(port = this.port): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "outline-standby-"));
    const standby = new PostgresServer(folder, this.#postgres, await freePort());
    const backup = new pg.Client({ connectionString: this.urlOf("postgres") });
    await backup.connect();
    try {
      await backup.query("select pg_backup_start('standby', true)");
      const filter = (path: string): boolean => !path.endsWith("postmaster.pid");
      await cp(this.#data, standby.#data, { recursive: true, filter });
      const { rows } = await backup.query<{ labelfile: string }>(
        "select labelfile from pg_backup_stop(false)",
      );
      await writeFile(join(standby.#data, "backup_label"), rows[0]?.labelfile ?? "");
    } finally {
      await backup.end();
    }
    await writeFile(join(standby.#data, "standby.signal"), "");
    await appendFile(
      join(standby.#data, "postgresql.auto.conf"),
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=outline application_name=standby'\n`,
    );
    if (isRoot()) await promisify(execFile)("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
    await standby.begin();
    return standby;
  }

  async isRunning(): Promise<boolean> {
    return this.run("postgres", "select 1").then(
      () => true,
      () => false,
    );
  }

  /** Makes a standby that has all it is going to get a server of its own. */
  async promote(): Promise<void> {
    await this.run("postgres", "select pg_promote()");
  }

  /** As a power cut ends it. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGQUIT");
    await ended;
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function identity(): { readonly uid?: number; readonly gid?: number } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}
