import { setTimeout as delay } from "node:timers/promises";
import type { Abuse, Counts, Site } from "./abuse.ts";
import { AttackedService, type Memory, type ServiceOptions } from "./attacked-service.ts";
import type { Pace, Waits } from "./bystander-tasks.ts";
import type { Form } from "./form.ts";
import { memoryBack, type MemoryBack, MemoryWatch } from "./memory-watch.ts";
import { TimeUp, withinTime } from "./within-time.ts";
import { workers } from "./workers.ts";

/**
 * Of the short form: work of the server that somebody waits for, in pieces of about a millisecond. Where
 * other tests run beside it, what the server does until people's process gets its turn is in it too: of
 * a server that is right more is allowed than what is called the harm of one that is wrong.
 */
const LONGEST_UNITS = 500;
const HARM_UNITS = 250;
const SHORT_PEAK_MIB = 200;
/** More failures of one kind are of no use. */
const SHOWN_FAILURES = 3;
const LOOK_EVERY_MS = 200;
/** Of an attack that went on for too long. */
const CUT_SHORT: Counts = { cutShort: 1 };

export interface StageOptions extends ServiceOptions {
  readonly form: Form;
  /** How many are let alone, each a user. */
  readonly people: number;
  readonly pace: Pace;
  /** An attack for which the server is prepared with other options, and then started anew. */
  readonly prepared?: { readonly abuse: Abuse; readonly amount: number } | undefined;
  /** Of an attack no more is done than it takes to see harm. */
  readonly untilHarm?: boolean;
}

export interface AttackReport {
  readonly counts: Counts;
  /** What people waited for while it went on. */
  readonly waits: Waits;
  readonly tookMs: number;
  readonly residentPeakMib: number;
}

export interface EndReport {
  readonly before: Memory;
  readonly back: MemoryBack;
  readonly waits: Waits;
}

/**
 * A server with people at work whom nobody attacks, and one attack after the other, each by a user of
 * its own. What must not be is among the failures.
 */
export class Stage {
  readonly failures: string[] = [];
  readonly #options: StageOptions;
  readonly #service: AttackedService;
  /** Of an attack that was prepared before the server was started anew. */
  readonly #preparedSite: Site | undefined;
  readonly #before: Memory;
  #attacks = 0;
  #isStuck = false;

  private constructor(
    options: StageOptions,
    service: AttackedService,
    { site, before }: { readonly site: Site | undefined; readonly before: Memory },
  ) {
    this.#options = options;
    this.#service = service;
    this.#preparedSite = site;
    this.#before = before;
  }

  /** Starts the server, and people's work. @throws Error when that does not succeed */
  static async start(options: StageOptions): Promise<Stage> {
    const { prepared, people: count, pace, form } = options;
    const service = await AttackedService.start({ ...options, ...prepared?.abuse.preparedWith });
    // On a machine that does nothing else; on one that does, they would not come to work at all.
    if (form.isLong) workers.giveWay();
    try {
      const readersKey = await service.newUser("reader");
      const keys: string[] = [];
      for (let index = 0; index < count; index++) {
        keys.push(await service.newUser(`person-${index}`));
      }
      let site: Site | undefined;
      if (prepared !== undefined) {
        const { abuse, amount } = prepared;
        const first = await service.newSite("prepared");
        await workers.attacker.ask("prepare", { name: abuse.name, site: first, amount });
        await service.restart(options);
        site = { ...first, url: service.server.url };
      }
      const { url, pid: serverPid } = service.server;
      const people = keys.map((key) => ({ url, key }));
      const reader = { url, key: readersKey };
      await workers.bystander.ask("begin", { people, reader, serverPid, pace });
      await delay(form.besideMs);
      return new Stage(options, service, { site, before: await service.memoryAtRest() });
    } catch (error) {
      workers.end();
      await service.stop();
      throw error;
    }
  }

  /** False when an attack has ended the server, or it does not answer any more. */
  get isRunning(): boolean {
    return !this.#isStuck && this.#service.ended === undefined;
  }

  /** How it is when nobody attacks. */
  async quiet(): Promise<Waits> {
    const waits = await workers.bystander.ask("look", undefined);
    this.#judgeWaits("before an attack", waits, LONGEST_UNITS);
    return waits;
  }

  /** @returns undefined when harm was seen before its end, or there is no server any more */
  async attack(abuse: Abuse, amount: number): Promise<AttackReport | undefined> {
    const { name } = abuse;
    const number = this.#attacks++;
    let watch: MemoryWatch | undefined;
    try {
      const site = this.#preparedSite ?? (await this.#service.newSite(`attacker-${number}`));
      const order = { name, site, amount };
      const { attacker, bystander } = workers;
      if (this.#preparedSite === undefined) {
        await this.#inTime(attacker.ask("prepare", order), `to prepare ${name}`);
      }
      const { residentMib } = await this.#service.memory();
      await bystander.ask("look", undefined);
      const startedAt = performance.now();
      watch = new MemoryWatch(this.#service);
      const attacking = this.#cutShort(attacker.ask("attack", order), name);
      const counts = await this.#unlessHarm(attacking, watch, residentMib, abuse);
      const tookMs = performance.now() - startedAt;
      const residentPeakMib = await this.#inTime(watch.end(), "a look at the memory");
      if (counts === undefined) return undefined;
      await delay(Math.max(0, this.#options.form.watchedMs - tookMs));
      const waits = await bystander.ask("look", undefined);
      this.#judgeWaits(name, waits, this.#mostUnits(abuse));
      this.#judgePeak(abuse, residentPeakMib, residentMib);
      this.#judgeCounts(abuse, counts, amount);
      return { counts, waits, tookMs, residentPeakMib };
    } catch (error) {
      this.#isStuck = true;
      this.failures.push(`${name}: ${this.#service.ended ?? String(error)}`);
      void watch?.end();
      // What they wait for says how bad it is.
      const waits = await workers.bystander.ask("look", undefined);
      this.#judgeWaits(name, waits, this.#mostUnits(abuse));
      workers.end();
      // Only a server that stands still or has ended is harm; all else is a fault of the attack.
      if (!(error instanceof TimeUp) && this.#service.ended === undefined) throw error;
      return undefined;
    }
  }

  /** Ends people's work, and looks at what was promised to them and what the server still holds. */
  async end(): Promise<EndReport | undefined> {
    const { form } = this.#options;
    try {
      const service = this.#service;
      const back = await this.#inTime(
        memoryBack(service, this.#before, form),
        "to look at the memory",
      );
      if (back.excess !== undefined) this.failures.push(back.excess);
      // Collecting holds the thread: what people waited for it is of no interest, what failed is.
      this.#judgeFailures("afterwards", await workers.bystander.ask("look", undefined));
      await delay(form.besideMs);
      const ending = workers.bystander.ask("end", undefined);
      const waits = await this.#inTime(ending, "what people were at");
      this.#judgeWaits("afterwards", waits, LONGEST_UNITS);
      if (service.ended !== undefined) this.failures.push(service.ended);
      return { before: this.#before, back, waits };
    } catch (error) {
      workers.end();
      this.failures.push(`at the end: ${this.#service.ended ?? String(error)}`);
      return undefined;
    }
  }

  /** Lets go of everything; to be called once. */
  async close(): Promise<void> {
    await this.#service.stop();
  }

  /** Undefined when that is enough: harm was seen. */
  async #unlessHarm(
    attacking: Promise<Counts>,
    watch: MemoryWatch,
    residentBeforeMib: number,
    abuse: Abuse,
  ): Promise<Counts | undefined> {
    if (this.#options.untilHarm !== true) return attacking;
    const before = this.failures.length;
    attacking.catch(() => undefined);
    for (;;) {
      const counts = await Promise.race([attacking, delay(LOOK_EVERY_MS)]);
      if (counts !== undefined) return counts;
      const waits = await workers.bystander.ask("look", undefined);
      this.#judgeWaits(abuse.name, waits, this.#mostUnits(abuse));
      this.#judgePeak(abuse, watch.residentMib, residentBeforeMib);
      if (this.failures.length === before) continue;
      // It goes on, and nobody waits for it.
      workers.end();
      return undefined;
    }
  }

  /** Ends an attack that goes on for too long: who is held up is the attacker, as far as others' waits are short. */
  async #cutShort(attacking: Promise<Counts>, name: string): Promise<Counts> {
    try {
      return await this.#inTime(attacking, name);
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
      workers.endAttacker();
      return CUT_SHORT;
    }
  }

  #inTime<T>(work: Promise<T>, what: string): Promise<T> {
    return withinTime(work, this.#options.form.attackMs, what);
  }

  #judgeFailures(when: string, { failures }: Waits): void {
    for (const failure of failures.slice(0, SHOWN_FAILURES)) {
      this.failures.push(`${when}: ${failure}`);
    }
    if (failures.length > SHOWN_FAILURES) {
      this.failures.push(`${when}: ${failures.length} failures in all`);
    }
  }

  #mostUnits({ harmUnits = HARM_UNITS }: Abuse): number {
    return this.#options.mutant === undefined ? LONGEST_UNITS : harmUnits;
  }

  #judgeWaits(when: string, waits: Waits, mostUnits: number): void {
    this.#judgeFailures(when, waits);
    const { p99Ms, worstMs, worstUnits } = waits;
    const { form } = this.#options;
    if (form.isLong ? p99Ms > form.p99Ms : worstUnits > mostUnits) {
      const longest = `p99 ${p99Ms} ms, at most ${worstMs} ms, ${worstUnits} units of work`;
      this.failures.push(`${when}: others wait: ${longest}`);
    }
  }

  #judgePeak({ name, shortPeakMib = SHORT_PEAK_MIB }: Abuse, peakMib: number, beforeMib: number) {
    const { form } = this.#options;
    const most = form.isLong ? form.residentMib : beforeMib + shortPeakMib;
    if (peakMib <= most) return;
    this.failures.push(`${name}: ${Math.round(peakMib)} MiB at the peak, over ${Math.round(most)}`);
  }

  #judgeCounts(abuse: Abuse, counts: Counts, amount: number): void {
    const { name } = abuse;
    if (counts === CUT_SHORT) return;
    const harm = abuse.harmOf?.(counts, amount);
    if (harm !== undefined) this.failures.push(`${name}: ${harm}`);
    const lack = abuse.lackOf(counts, amount);
    if (lack === undefined) return;
    // Of a broken variant that says nothing.
    if (this.#options.untilHarm === true) throw new Error(`${name} was no attack: ${lack}`);
    this.failures.push(`${name} was no attack: ${lack}`);
  }
}
