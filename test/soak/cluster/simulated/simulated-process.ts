import { type OutlineId, type Random, ROOT } from "../../../../src/core/node-key.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import { TAKEN_OVER } from "../../../../src/documents/replica/document-listener.ts";
import { Documents } from "../../../../src/documents/documents.ts";
import { Turns } from "../../../../src/documents/turns/turns.ts";
import { takeoverMsOf } from "../../../../src/store/postgres/joining.ts";
import { Membership } from "../../../../src/store/postgres/membership.ts";
import { Places } from "../../../../src/store/postgres/places.ts";
import type { Owner } from "../../../../src/accounts/passing.ts";
import type { Agenda } from "../../simulation/agenda.ts";
import { ProcessTime } from "./process-time.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { SimulatedLine } from "./simulated-line.ts";
import { simulatedLog } from "./simulated-log.ts";

/** As processes beside each other have it. */
const LEASE_MS = 4000;
const MOST_HOPS = 2;
const MOST_ATTEMPTS = 4;
const BRING_AGAIN_MS = 100;
const MOST_BRINGS = 50;

/** What programs ask for: a line is added, or all are listed. */
export type Request =
  | { readonly kind: "add"; readonly outline: OutlineId; readonly name: string }
  | { readonly kind: "list"; readonly outline: OutlineId };

export type Answer =
  | { readonly kind: "added" }
  | { readonly kind: "listed"; readonly names: readonly string[] }
  | { readonly kind: "refused" };

export const REFUSED: Answer = { kind: "refused" };

/** What a process is to have wrong, for a control. */
export interface ProcessDefects {
  readonly hasNoLease?: boolean;
  readonly keepsNothing?: boolean;
}

export interface ProcessSurroundings {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly database: SimulatedDatabase;
  readonly address: string;
  readonly defects: ProcessDefects;
  /** By how much its clock on the wall is wrong. */
  readonly skewMs: () => number;
  /** Has another process answer; `again` when it is not there. */
  readonly pass: (owner: Owner, request: Request, hops: number) => Promise<Answer | "again">;
  /** Has another process let go of an outline. @param to the number of the one that gets it */
  readonly handOver: (owner: Owner, outline: OutlineId, to: number) => Promise<void>;
}

/** The parts of a process that own and serve outlines, as they are, on simulated time and lines. */
export class SimulatedProcess {
  readonly address: string;
  readonly time: ProcessTime;
  readonly line: SimulatedLine;
  readonly #surroundings: ProcessSurroundings;
  #opened:
    | { readonly membership: Membership; readonly places: Places; readonly documents: Documents }
    | undefined;

  constructor(surroundings: ProcessSurroundings) {
    this.#surroundings = surroundings;
    const { agenda, random, database } = surroundings;
    this.address = surroundings.address;
    this.time = new ProcessTime(agenda);
    const { deliver } = this.time;
    const hangUpMs = takeoverMsOf(LEASE_MS);
    this.line = new SimulatedLine({ agenda, random, database, deliver, hangUpMs });
  }

  get isReady(): boolean {
    return this.#opened?.membership.holds() === true;
  }

  /** Comes in, as soon as the database lets it. */
  async start(): Promise<void> {
    const { agenda, random, database, defects, skewMs, address } = this.#surroundings;
    const { time, line } = this;
    const { elapsed, timers } = time;
    const now = (): number => agenda.now() + skewMs();
    const takeoverMs = takeoverMsOf(LEASE_MS);
    const membership = await Membership.open({
      leaseMs: LEASE_MS,
      now,
      elapsed,
      alarms: timers,
      join: async (before) => {
        const session = line.open();
        const leaseEnd = { elapsed: elapsed() + LEASE_MS, now: now() + LEASE_MS };
        const member = await line.call(() =>
          database.join({ session, before, address, takeoverMs }),
        );
        return { member, session, leaseEnd, revocation: 0 };
      },
      onFailure: () => undefined,
      onRecovery: () => undefined,
    });
    if (defects.hasNoLease === true) Object.assign(membership, { holds: () => true });
    const query = async <T extends object>(
      ...[statement, values]: Parameters<SimulatedDatabase["answer"]>
    ): Promise<readonly T[]> => line.call(() => database.answer(statement, values) as readonly T[]);
    const places = new Places({ membership, sql: { query }, elapsed, alarms: timers });
    membership.onLapse(() => line.hangUp());
    const documents = new Documents({
      log: simulatedLog({ membership, places, database, line }),
      now,
      elapsed,
      turns: new Turns(timers, elapsed),
      holds: () => membership.holds(),
      random,
      timers,
      limits: { minCompactionBytes: 4000 },
    });
    membership.onLapse(() => documents.evictAll(TAKEN_OVER, defects.keepsNothing === true));
    membership.onRejoin(() => void documents.bringBack((outline) => this.#bring(outline)));
    places.tellLoad(() => documents.load);
    this.#opened = { membership, places, documents };
  }

  /** Never rejects. */
  async serve(request: Request, hops = 0): Promise<Answer> {
    try {
      return await this.#serve(request, hops);
    } catch {
      return REFUSED;
    }
  }

  async letGo(outline: OutlineId, to: number): Promise<void> {
    const { places, documents } = this.#parts;
    await places.release([outline], (each) => documents.handOver(each), to);
  }

  /** Gives all that it has to the others, and ends. */
  async drain(): Promise<void> {
    const { membership, places, documents } = this.#parts;
    await places.leave();
    for (const outline of places.notAskedFor(0)) {
      await places.release(
        [outline],
        (each) => documents.handOver(each),
        places.nextOwnerOf(outline),
      );
    }
    await documents.close();
    await membership.close();
  }

  get #parts() {
    if (this.#opened === undefined) throw new Error("it has not come in yet");
    return this.#opened;
  }

  async #serve(request: Request, hops: number): Promise<Answer> {
    const { places } = this.#parts;
    const { outline } = request;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const place = await places.of(outline);
      if (place.kind === "here") return this.#answer(request);
      if (place.kind === "unknown" || hops >= MOST_HOPS) return REFUSED;
      const answer = await this.#surroundings.pass(place.owner, request, hops + 1);
      if (answer !== "again") return answer;
      places.forget(outline);
    }
    return REFUSED;
  }

  async #answer(request: Request): Promise<Answer> {
    const { documents } = this.#parts;
    const { outline } = request;
    if (request.kind === "add") {
      await documents.write(outline, (edited) => {
        edited.create({ parent: ROOT, name: request.name });
      });
      return { kind: "added" };
    }
    const names = await documents.use(outline, (document) =>
      document.read((read) =>
        read.childKeys(ROOT).map((key) => plainText(read.richText(key, "name"))),
      ),
    );
    return { kind: "listed", names };
  }

  async #bring(outline: OutlineId): Promise<void> {
    const { places } = this.#parts;
    const { timers } = this.time;
    for (let tries = 0; tries < MOST_BRINGS; tries += 1) {
      const place = await places.of(outline);
      if (place.kind === "here") return;
      if (place.kind === "elsewhere") {
        await this.#surroundings.handOver(place.owner, outline, places.self);
        places.forget(outline);
      }
      await new Promise<void>((resolve) => void timers.setTimeout(resolve, BRING_AGAIN_MS));
    }
    throw new Error("another process has it");
  }
}
