import { newRecentMap } from "../../charges/recent-map.ts";
import { HERE, type Owner, type Place, UNKNOWN } from "../../accounts/passing.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Membership } from "./membership.ts";
import { claimMissing, livingOf, ownerOf, release } from "./owners.ts";
import { type Alarms, pause } from "./pause.ts";
import type { Sql } from "./sql-session.ts";
import {
  aboveMean,
  type Candidate,
  hasTooMuch,
  heaviest,
  nextOwnerOf,
  type ProcessLoad,
  takerOf,
} from "./spread.ts";

interface PlacesOptions {
  readonly membership: Membership;
  readonly sql: Sql;
  /** An outline that no process served is this one's. */
  readonly onTaken?: (() => void) | undefined;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly alarms: Alarms;
}

interface Known {
  readonly owner: Owner;
  readonly foundAt: number;
}

const MOST_KNOWN = 100_000;
/** How long an owner is believed to be the one. It passes on what it does not own any more. */
const KNOWN_MS = 1000;
/** How long a request waits for an owner to end that is about to, and how often it looks. */
const LEAVING_MS = 5000;
const LOOK_MS = 50;
const NOBODY = 0;

/**
 * Which process serves an outline: whoever asks for one that nobody has takes it, unless that process
 * has too much to do or is about to end.
 */
export class Places {
  readonly #options: PlacesOptions;
  /** Those that this process owns, and has not lost as far as it knows; when they were asked for last. [Q67] */
  readonly #here = newRecentMap<{ askedAt: number }, OutlineId>(MOST_KNOWN);
  /** [Q67] */
  readonly #elsewhere = newRecentMap<Known, OutlineId>(MOST_KNOWN);
  /** One for each outline that requests wait for. [Q67] */
  readonly #asking = new Map<OutlineId, Promise<Place>>();
  /** Those that are being given back. [Q67] */
  readonly #releasing = new Map<OutlineId, Promise<void>>();
  #isLeaving = false;

  constructor(options: PlacesOptions) {
    this.#options = options;
    options.membership.onLapse(() => this.#here.clear());
  }

  /** How many outlines this process has been asked for and has. */
  get owned(): number {
    return this.#here.size;
  }

  get self(): number {
    return this.#options.membership.loads.self.process;
  }

  /** How many processes serve beside each other, as of the last heartbeat. */
  get processes(): number {
    return this.#options.membership.loads.others.length + 1;
  }

  /** See `Membership.heartbeatMs`. */
  get heartbeatMs(): number {
    return this.#options.membership.heartbeatMs;
  }

  get secret(): string {
    return this.#options.membership.first.secret;
  }

  /** See `Membership.tellLoad`. */
  tellLoad(load: () => ProcessLoad): void {
    this.#options.membership.tellLoad(load);
  }

  /** How many outlines another process should have in this one's place. */
  get excess(): number {
    const { self, others } = this.#options.membership.loads;
    if (others.length === 0) return 0;
    if (this.#isLeaving) return self.outlines;
    return hasTooMuch(self, others) ? Math.max(1, aboveMean(self, others)) : 0;
  }

  /** Whose outline it is. At once, where that is known. */
  of(outline: OutlineId): Place | Promise<Place> {
    const { membership, elapsed } = this.#options;
    if (!membership.holds()) return UNKNOWN;
    const here = this.#here.get(outline);
    if (here !== undefined) {
      here.askedAt = elapsed();
      return HERE;
    }
    const known = this.#elsewhere.get(outline);
    if (known !== undefined && elapsed() - known.foundAt < KNOWN_MS) {
      return { kind: "elsewhere", owner: known.owner };
    }
    const asked = this.#asking.get(outline);
    if (asked !== undefined) return asked;
    const asking = this.#ask(outline).finally(() => this.#asking.delete(outline));
    this.#asking.set(outline, asking);
    return asking;
  }

  /** It is not where it was taken to be. */
  forget(outline: OutlineId): void {
    this.#here.delete(outline);
    this.#elsewhere.delete(outline);
  }

  /** Those that this process owns and was not asked for within a time, longest ago first. */
  *notAskedFor(ms: number): Generator<OutlineId, void> {
    const since = this.#options.elapsed() - ms;
    for (const outline of this.#here.rkeys()) {
      if ((this.#here.peek(outline)?.askedAt ?? 0) > since) return;
      yield outline;
    }
  }

  /**
   * The process that is to have an outline in place of this one, which has too much or is about to
   * end; undefined when it is to stay.
   */
  nextOwnerOf(outline: OutlineId): number | undefined {
    const { self, others } = this.#options.membership.loads;
    if (this.#isLeaving) return heaviest(outline, others)?.process;
    return nextOwnerOf(outline, self, others);
  }

  /**
   * Gives outlines back. Until it is done nothing of them is loaded here: what was loaded while it
   * belongs to nobody would be served when another one has it.
   * @param letGo sees to it that nothing of an outline is in memory
   * @param to the process that is to have them; else whoever is asked for them next
   * @throws StoreError, and what `letGo` throws
   */
  async release(
    outlines: readonly OutlineId[],
    letGo: (outline: OutlineId) => Promise<void>,
    to = NOBODY,
  ): Promise<void> {
    const before = outlines.flatMap((outline) => this.#releasing.get(outline) ?? []);
    const fresh = outlines.filter((outline) => !this.#releasing.has(outline));
    for (const outline of fresh) this.forget(outline);
    const releasing = this.#release(fresh, letGo, to).finally(() => {
      for (const outline of fresh) this.#releasing.delete(outline);
    });
    for (const outline of fresh) this.#releasing.set(outline, releasing);
    await Promise.all([...before, releasing]);
  }

  /** Whether a replica of it may be loaded here. */
  mayClaim(outline: OutlineId): boolean {
    return !this.#releasing.has(outline);
  }

  /** Says that it is about to end: who wants something of it waits for that. @throws StoreError */
  async leave(): Promise<void> {
    const { membership, sql } = this.#options;
    this.#isLeaving = true;
    await sql.query(LEAVE, [membership.require().id]);
  }

  /** Which of some processes may still serve what they own. @throws StoreError */
  livingOf(processes: readonly number[]): Promise<ReadonlySet<number>> {
    return livingOf(this.#options.sql, processes);
  }

  async #release(
    outlines: readonly OutlineId[],
    letGo: (outline: OutlineId) => Promise<void>,
    to: number,
  ): Promise<void> {
    const { membership, sql } = this.#options;
    const member = membership.require();
    await Promise.all(outlines.map(letGo));
    await release(sql, member, { outlines, to });
  }

  async #ask(outline: OutlineId): Promise<Place> {
    const { membership, sql, elapsed, onTaken, alarms } = this.#options;
    const giveUpAt = elapsed() + LEAVING_MS;
    for (; elapsed() < giveUpAt; await pause(alarms, LOOK_MS)) {
      await this.#releasing.get(outline)?.catch(() => undefined);
      const member = membership.require();
      const taker = this.#takerOf(outline).process;
      const taken = await claimMissing(sql, { id: taker }, [outline]);
      if (taken > 0 && taker === member.id) onTaken?.();
      const owner = await ownerOf(sql, outline);
      if (!membership.holds() || membership.require() !== member) return UNKNOWN;
      if (!this.mayClaim(outline)) continue;
      if (owner?.process === member.id) {
        this.#here.set(outline, { askedAt: elapsed() });
        return HERE;
      }
      if (owner === undefined || owner.leaving || !owner.lives) continue;
      // One that has the database alone has lost it, and its time has not passed yet.
      if (owner.address === "") return UNKNOWN;
      this.#elsewhere.set(outline, { owner, foundAt: elapsed() });
      return { kind: "elsewhere", owner };
    }
    return UNKNOWN;
  }

  #takerOf(outline: OutlineId): Candidate {
    const { self, others } = this.#options.membership.loads;
    if (this.#isLeaving) return heaviest(outline, others) ?? self;
    return takerOf(outline, self, others);
  }
}

const LEAVE = {
  name: "leave",
  text: "update outline_store.process set leaving = true where id = $1",
};
