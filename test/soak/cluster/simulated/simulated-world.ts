import { newOutlineId, type OutlineId, type Random } from "../../../../src/core/node-key.ts";
import type { Owner } from "../../../../src/accounts/passing.ts";
import { missingOf } from "../../../e2e/cluster.ts";
import { Agenda } from "../../simulation/agenda.ts";
import { type DatabaseDefects, SimulatedDatabase, type Tables } from "./simulated-database.ts";
import {
  type Answer,
  type ProcessDefects,
  REFUSED,
  type Request,
  SimulatedProcess,
} from "./simulated-process.ts";

export interface Defects extends DatabaseDefects, ProcessDefects {}

const PROCESSES = 3;
const OUTLINES = 2;
const PROGRAMS = 5;
const LONGEST_WAY_MS = 3;
/** A program waits for no answer for longer, and knows nothing of what it has asked then. */
const PATIENCE_MS = 8000;
const PAUSE_MS = 150;
const WATCH_MS = 500;

/** Processes on a database, and programs that come to any of them. */
export class SimulatedWorld {
  readonly agenda: Agenda;
  readonly database: SimulatedDatabase;
  readonly counts: Record<string, number> = {};
  readonly failures: string[] = [];
  readonly #random: Random;
  readonly #defects: Defects;
  readonly #outlines: readonly OutlineId[];
  readonly #acknowledged = new Map<OutlineId, string[]>();
  #processes: SimulatedProcess[] = [];
  #started = 0;
  #skewMs = 0;
  #arePeersCut = false;
  /** Whether what is read may lack what was acknowledged: it is about to be handed in. */
  #mayBeOld = false;
  #isOver = false;

  constructor(seed: number, defects: Defects) {
    this.agenda = new Agenda(seed);
    this.#random = this.agenda.fork();
    this.#defects = defects;
    this.database = new SimulatedDatabase(this.agenda.now, defects);
    this.#outlines = Array.from({ length: OUTLINES }, () => newOutlineId(this.#random));
    for (const outline of this.#outlines) this.#acknowledged.set(outline, []);
    for (let index = 0; index < PROCESSES; index += 1) this.startLater(0);
    for (let program = 0; program < PROGRAMS; program += 1) void this.#work(program, 0);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  anyProcess(): SimulatedProcess {
    const process = this.#processes[Math.floor(this.#random() * this.#processes.length)];
    if (process === undefined) throw new Error("no process is there");
    return process;
  }

  get hasProcess(): boolean {
    return this.#processes.length > 0;
  }

  startLater(ms: number): void {
    this.agenda.after(ms, () => this.#start());
  }

  kill(process: SimulatedProcess): void {
    this.#processes = this.#processes.filter((each) => each !== process);
    process.line.reset();
    process.time.kill();
  }

  standStill(process: SimulatedProcess, ms: number, isAsleep: boolean): void {
    process.time.standStill(isAsleep);
    this.agenda.after(ms, () => process.time.wake());
  }

  /** Programs come to it no more; it ends when it has given all away. */
  drain(process: SimulatedProcess): void {
    this.#processes = this.#processes.filter((each) => each !== process);
    const end = (): void => {
      if (!process.time.isKilled) this.kill(process);
    };
    process.drain().then(end, end);
    // As a service manager does.
    this.agenda.after(20_000, end);
  }

  cutPeers(ms: number): void {
    this.#arePeersCut = true;
    this.agenda.after(ms, () => (this.#arePeersCut = false));
  }

  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  endDatabase(): void {
    const { database } = this;
    database.isUp = false;
    database.endAllSessions();
    for (const { line } of this.#processes) line.serverEnded();
  }

  /** @param isCrash it has ended all connections itself, and goes on as the same server */
  beginDatabase({ isCrash = false } = {}): void {
    if (this.database.isUp) return;
    if (!isCrash || this.#defects.seesNoCrash !== true) this.database.start += 1;
    this.database.isUp = true;
  }

  /** A standby takes over that lacks what was written since. */
  failOver(standby: Tables): void {
    this.#mayBeOld = true;
    this.endDatabase();
    this.database.tables = standby;
    this.database.history += 1;
    this.beginDatabase();
  }

  /** Everything is mended: whatever was acknowledged is read by way of any process. */
  async settle(): Promise<void> {
    this.#isOver = true;
    this.#arePeersCut = false;
    this.beginDatabase();
    for (const { time, line } of this.#processes) {
      line.pass();
      time.wake();
    }
    while (this.#processes.length < PROCESSES) this.#start();
    for (const outline of this.#outlines) {
      for (const process of this.#processes) await this.#readAll(process, outline);
    }
  }

  /** Hands in take some seconds, and takeovers too; whatever is missing then is lost. */
  async #readAll(process: SimulatedProcess, outline: OutlineId): Promise<void> {
    const acknowledged = this.#acknowledged.get(outline) ?? [];
    let missing: readonly string[] | undefined;
    const isWhole = (): boolean => missing?.length === 0;
    const ask = async (): Promise<void> => {
      if (isWhole()) return;
      const answer = await this.#ask(process, { kind: "list", outline });
      if (answer.kind === "listed") missing = missingOf(answer.names, acknowledged);
      this.agenda.after(500, () => void ask());
    };
    void ask();
    await this.agenda.run(isWhole, 60_000);
    if (missing === undefined) this.failures.push("an outline was served by nobody again");
    else if (missing.length > 0)
      this.failures.push(`${missing.length} acknowledged lines are lost`);
  }

  #start(): void {
    this.#started += 1;
    const address = `process ${this.#started}`;
    // Of every two machines one has a clock that is wrong.
    const isWrong = this.#started % 2 === 0;
    const process = new SimulatedProcess({
      agenda: this.agenda,
      random: this.agenda.fork(),
      database: this.database,
      address,
      defects: this.#defects,
      skewMs: () => (isWrong ? this.#skewMs : 0),
      pass: (owner, request, hops) => this.#pass(process, owner, { request, hops }),
      handOver: (owner, outline, to) => this.#handOver(process, owner, { outline, to }),
    });
    this.#processes.push(process);
    const start = (): void => {
      process.start().catch(() => {
        this.agenda.after(300, () => {
          if (!process.time.isKilled) start();
        });
      });
    };
    start();
  }

  async #work(program: number, step: number): Promise<void> {
    if (this.#isOver) return;
    if (this.hasProcess) await this.#askSomething(`${program}/${step}`);
    this.agenda.after(this.#random() * PAUSE_MS, () => void this.#work(program, step + 1));
  }

  async #askSomething(name: string): Promise<void> {
    const random = this.#random;
    const outline = this.#outlines[Math.floor(random() * OUTLINES)];
    if (outline === undefined) return;
    const kind = random() < 0.6 ? "add" : "list";
    const known = [...(this.#acknowledged.get(outline) ?? [])];
    const askedAt = this.agenda.elapsed();
    const process = this.anyProcess();
    const answer = await this.#ask(process, { kind, outline, name });
    this.count(answer.kind);
    if (answer.kind === "added") this.#acknowledged.get(outline)?.push(name);
    if (answer.kind === "listed" && !this.#mayBeOld) {
      const stale = missingOf(answer.names, known).length;
      if (stale > 0) {
        const what = `asked of ${process.address} at ${askedAt} ms`;
        this.failures.push(`an answer lacked ${stale} acknowledged lines, ${what}`);
      }
    }
  }

  /** By way of a line that may take its time. */
  #ask(process: SimulatedProcess, request: Request): Promise<Answer> {
    return new Promise((resolve) => {
      this.agenda.after(PATIENCE_MS, () => resolve(REFUSED));
      this.#carry(() =>
        process.time.deliver(() => {
          void process.serve(request).then((answer) => this.#carry(() => resolve(answer)));
        }),
      );
    });
  }

  #pass(
    from: SimulatedProcess,
    { process, address }: Owner,
    { request, hops }: { readonly request: Request; readonly hops: number },
  ): Promise<Answer | "again"> {
    return new Promise((resolve) => {
      let isBack = false;
      const back = (answer: Answer | "again"): void => {
        isBack = true;
        this.#carry(() => from.time.deliver(() => resolve(answer)));
      };
      // As `Passages` do: nobody waits for one that is gone.
      const watch = (): void => {
        if (isBack) return;
        const isLiving = this.database.answer({ name: "living", text: "" }, [[process]]).length > 0;
        if (isLiving) this.agenda.after(WATCH_MS, watch);
        else back(REFUSED);
      };
      this.agenda.after(WATCH_MS, watch);
      this.#carry(() => {
        const owner = this.#processes.find((each) => each.address === address);
        if (this.#arePeersCut) return back(REFUSED);
        // One that is about to end is answered no more either.
        if (owner === undefined) return back("again");
        this.count("passed");
        owner.time.deliver(() => void owner.serve(request, hops).then(back));
      });
    });
  }

  #handOver(
    from: SimulatedProcess,
    { address }: Owner,
    { outline, to }: { readonly outline: OutlineId; readonly to: number },
  ): Promise<void> {
    return new Promise((resolve) => {
      const back = (): void => this.#carry(() => from.time.deliver(resolve));
      this.#carry(() => {
        const owner = this.#processes.find((each) => each.address === address);
        if (owner === undefined || this.#arePeersCut) return back();
        owner.time.deliver(() => void owner.letGo(outline, to).then(back, back));
      });
    });
  }

  #carry(arrive: () => void): void {
    this.agenda.after(this.#random() * LONGEST_WAY_MS, arrive);
  }
}
