import type { Random } from "../../../../src/core/node-key.ts";
import type { OwnSession } from "../../../../src/store/postgres/joining.ts";
import type { SqlValue, Statement } from "../../../../src/store/postgres/sql-session.ts";
import { storeUnavailable } from "../../../../src/store/store-failure.ts";
import type { Agenda } from "../../simulation/agenda.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";

type Direction = "up" | "down";

/** Something that was asked of the database. */
interface Call {
  fail: () => void;
  /** The connection that it was asked on leads nowhere any more. */
  isStranded: boolean;
}

const LONGEST_WAY_MS = 5;
/** Nobody waits for an answer for longer. */
const ANSWER_MS = 20_000;
/** What was on its way when a connection broke may arrive so much later. */
const LATEST_MS = 3000;

export interface LineOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly database: SimulatedDatabase;
  /** Has the process go on with what has come, when it can. */
  readonly deliver: (work: () => void) => void;
  /** After which the database hangs up on who can't be reached. */
  readonly hangUpMs: number;
}

/** The network between a process and the database. */
export class SimulatedLine {
  readonly #options: LineOptions;
  readonly #calls = new Set<Call>();
  readonly #sessions = new Set<SimulatedSession>();
  readonly #held = new Set<Direction>();
  #waiting: { readonly direction: Direction; readonly arrive: () => void }[] = [];

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Has the database do something, whole, and carries its answer back. @throws StoreError */
  call<T>(work: () => T, isStranded = false): Promise<T> {
    const { database, deliver } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        if (this.#calls.delete(call)) deliver(settle);
      };
      const call: Call = {
        fail: () => finish(() => reject(storeUnavailable(new Error("the connection has ended")))),
        isStranded,
      };
      this.#calls.add(call);
      this.#options.agenda.after(ANSWER_MS, () => call.fail());
      this.#carry("up", () => {
        if (call.isStranded) return;
        if (!database.isUp) return this.#carry("down", () => call.fail());
        let settle: () => void;
        try {
          const answer = work();
          settle = () => resolve(answer);
        } catch (error) {
          settle = () => reject(error);
        }
        this.#carry("down", () => {
          if (!call.isStranded) finish(settle);
        });
      });
    });
  }

  open(): SimulatedSession {
    const session = new SimulatedSession(this.#options, this);
    this.#sessions.add(session);
    void session.ended.then(() => this.#sessions.delete(session));
    return session;
  }

  /** Nothing arrives, until `pass`. The database hangs up on who is away for long. */
  hang(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#held.add(direction);
    this.#hangUpLater();
  }

  pass(): void {
    this.#held.clear();
    for (const session of this.#sessions) if (!session.isStranded) session.awaySince = undefined;
    for (const { direction, arrive } of this.#waiting.splice(0)) this.#carry(direction, arrive);
  }

  /** Connections break, at both ends. What was on its way to the database may arrive all the same. */
  reset(): void {
    for (const session of this.#sessions) {
      this.#options.database.endSession(session);
      this.#options.deliver(() => session.end());
    }
    this.hangUp();
  }

  /** Connections that are open lead nowhere for ever; new ones work. */
  strand(): void {
    for (const call of this.#calls) call.isStranded = true;
    for (const session of this.#sessions) session.isStranded = true;
    this.#hangUpLater();
  }

  /** The process waits for no answer any more. */
  hangUp(): void {
    for (const call of this.#calls) call.fail();
  }

  /** The server has ended, which a line that works tells at once. */
  serverEnded(): void {
    const { deliver } = this.#options;
    const tell = (): void => {
      for (const session of this.#sessions) if (!session.isStranded) deliver(() => session.end());
      for (const call of this.#calls) if (!call.isStranded) call.fail();
    };
    this.#carry("down", tell);
  }

  #hangUpLater(): void {
    const { agenda, database, hangUpMs } = this.#options;
    const now = agenda.elapsed();
    for (const session of this.#sessions) {
      if (session.awaySince !== undefined) continue;
      session.awaySince = now;
      agenda.after(hangUpMs, () => {
        if (session.awaySince === now) database.endSession(session);
      });
    }
  }

  #carry(direction: Direction, arrive: () => void): void {
    const { agenda, random } = this.#options;
    const isLate = direction === "up" && random() < 0.01;
    const ms = isLate ? random() * LATEST_MS : 1 + random() * LONGEST_WAY_MS;
    agenda.after(ms, () => {
      if (this.#held.has(direction)) this.#waiting.push({ direction, arrive });
      else arrive();
    });
  }
}

/** The connection that a process has for as long as it serves. */
export class SimulatedSession implements OwnSession {
  readonly ended: Promise<void>;
  isStranded = false;
  /** Since when the server can't reach it. */
  awaySince: number | undefined;
  readonly #database: SimulatedDatabase;
  readonly #line: SimulatedLine;
  #end: () => void = () => undefined;

  constructor({ database }: LineOptions, line: SimulatedLine) {
    this.#database = database;
    this.#line = line;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  async query<T extends object>(
    statement: Statement,
    values: readonly SqlValue[] = [],
  ): Promise<readonly T[]> {
    return this.#line.call(() => {
      if (!this.#database.has(this)) throw storeUnavailable(new Error("the server has hung up"));
      return this.#database.answer(statement, values) as readonly T[];
    }, this.isStranded);
  }

  /** Nobody tells it anything: it has to ask. */
  onNotification(): void {}

  async close(): Promise<void> {
    this.#end();
    if (this.isStranded) return this.#line.hangUp();
    await this.#line.call(() => this.#database.endSession(this)).catch(() => undefined);
  }

  end(): void {
    this.#end();
  }
}
